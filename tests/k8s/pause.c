/* The program of the container that holds the namespaces of a pod of the test cluster. */
#include <signal.h>
#include <unistd.h>

int main(void) {
  signal(SIGTERM, _exit);
  signal(SIGCHLD, SIG_IGN); /* no zombies */
  for (;;) pause();
}
