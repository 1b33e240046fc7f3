/* A pass-through in C for the process protocol in lines: sends each message of events back, and says that it is done with them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  static char buffer[1 << 20];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  while ((length = getline(&line, &size, stdin)) > 0) {
    if (!strncmp(line, "{\"events\":", 10)) {
      /* The last member is the number of the last event. */
      char *last = line + length;
      while (last > line && strncmp(last, ",\"last\":", 8)) last--;
      fwrite(line, 1, (size_t)(last - line), stdout);
      printf("}\n{\"done\":%ld}\n", atol(last + 8));
    } else if (!strncmp(line, "{\"hello\":", 9)) {
      fputs("{\"hello\":1,\"name\":\"pass\"}\n", stdout);
    } else if (!strncmp(line, "{\"start\":", 9)) {
      fputs("{\"ready\":true}\n", stdout);
    } else if (!strncmp(line, "{\"drain\":", 9)) {
      fputs("{\"drained\":true}\n", stdout);
    }
    fflush(stdout);
  }
  return 0;
}
