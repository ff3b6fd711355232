# Compiles a text file of the repository into a folder of src/, so that the program does not need it at
# run time: tacho_embed_text(predict/accuracy data/catalog/curves.csv published_curves_csv.h kPublishedCurvesCsv)
# The header is included as "predict/accuracy/published_curves_csv.h".
function(tacho_embed_text folder file header name)
  set(source ${CMAKE_SOURCE_DIR}/${file})
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} content)
  get_filename_component(leaf ${folder} NAME)
  set(view ${CMAKE_BINARY_DIR}/embedded/${leaf})
  # In pieces, because compilers may limit string literals to 64 KiB.
  string(LENGTH "${content}" length)
  set(pieces "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${content}" ${at} 60000 piece)
    string(APPEND pieces "R\"~(${piece})~\"\n")
    math(EXPR at "${at} + 60000")
  endwhile()
  file(CONFIGURE OUTPUT ${view}/${folder}/${header} CONTENT
    "#pragma once\n\n#include <string_view>\n\nnamespace tacho {\n\n// ${file}\ninline constexpr std::string_view ${name} =\n@pieces@;\n\n}  // namespace tacho\n"
    @ONLY)
endfunction()
