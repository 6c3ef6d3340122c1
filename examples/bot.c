/* A bot that speaks the protocol of PROTOCOL.md, in C without a JSON library: it takes the last legal action.
 *
 *   cc -O2 -o bot examples/bot.c
 *   arena match connect_four random process:command=./bot
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The end of the JSON value that begins at `at`: behind a string, a list, an object or a plain word. */
static const char *skip(const char *at) {
    int depth = 0;
    do {
        if (*at == '"') {
            for (at++; *at && *at != '"'; at++)
                if (*at == '\\' && at[1]) at++;
        } else if (*at == '[' || *at == '{') {
            depth++;
        } else if (*at == ']' || *at == '}') {
            depth--;
        } else if (depth == 0) {
            return at + strcspn(at, ",]}\n");
        }
        if (*at) at++;
    } while (*at && depth > 0);
    return at;
}

/* The value of a key of the outermost object, or NULL. */
static const char *value_of(const char *line, const char *key) {
    const char *at = strchr(line, '{');
    size_t length = strlen(key);
    while (at && (*at == '{' || *at == ',')) {
        at += 1 + strspn(at + 1, " ");
        const char *name = at + 1, *end = skip(at);
        at = end + strspn(end, " :");
        if ((size_t)(end - 1 - name) == length && strncmp(name, key, length) == 0) return at;
        at = skip(at);
        at += strspn(at, " ");
    }
    return NULL;
}

static int is(const char *value, const char *word) {
    return value && strncmp(value + 1, word, strlen(word)) == 0;
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *type = value_of(line, "type"), *id = value_of(line, "id");
        if (!type || !id) continue; /* close, or something newer than this bot */
        if (is(type, "hello")) {
            printf("{\"type\":\"hello\",\"id\":%ld,\"protocol\":1,\"name\":\"bot.c\"}\n", strtol(id, NULL, 10));
        } else if (is(type, "reset")) {
            printf("{\"type\":\"reset\",\"id\":%ld}\n", strtol(id, NULL, 10));
        } else if (is(type, "act")) {
            const char *at = value_of(line, "legal"), *last = NULL, *end = NULL;
            while (at && (*at == '[' || *at == ',')) { /* an action is copied as it is written */
                last = at + 1 + strspn(at + 1, " ");
                at = end = skip(last);
            }
            if (!last) return 1;
            printf("{\"type\":\"act\",\"id\":%ld,\"action\":%.*s}\n", strtol(id, NULL, 10), (int)(end - last), last);
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
