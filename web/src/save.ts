// Downloads content that the page made.
export function saveFile(name: string, type: string, content: string | Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export function csvOf(rows: (string | number)[][]): string {
  const cell = (value: string | number) => {
    const text = typeof value === "number" ? (Number.isNaN(value) ? "" : String(value)) : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
