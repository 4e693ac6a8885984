// Shows every reading, with nothing but libc. The daemon writes compact JSON, its strings escaped, so a
// member of a reading is found by its quoted name; a program that wants more takes a JSON library.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char call[] =
    "{\"method\":\"org.forced.Force.Watch\",\"parameters\":{\"events\":[\"reading\"]},\"more\":true}\n";

static double number(const char *line, const char *name)
{
    const char *found = strstr(line, name);
    return found ? strtod(found + strlen(name), NULL) : 0;
}

int main(void)
{
    const char *path = getenv("FORCED_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path)
        path = "/run/forced/forced.sock";
    if (strlen(path) >= sizeof address.sun_path) {
        fprintf(stderr, "%s: too long for the path of a socket\n", path);
        return 1;
    }
    strcpy(address.sun_path, path);

    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        perror(path);
        return 1;
    }
    if (write(fd, call, sizeof call - 1) != (ssize_t)(sizeof call - 1)) {
        perror("write");
        return 1;
    }

    FILE *replies = fdopen(fd, "r");
    char *line = NULL;
    size_t size = 0;
    while (replies && getline(&line, &size, replies) > 0) {
        const char *device = strstr(line, "\"device\":\"");
        if (strncmp(line, "{\"error\"", 8) == 0 || !device) {
            fputs(line, stderr);
            return 1;
        }
        device += strlen("\"device\":\"");
        printf("%.*s  %.2f %%  %.2f g\n", (int)strcspn(device, "\""), device,
               number(line, "\"percent\":"), number(line, "\"grams\":"));
        fflush(stdout);
    }
    return 0;
}
