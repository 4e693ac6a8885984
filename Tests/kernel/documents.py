"""The command lines of the documents, found by how they are set, so that each is run by a test."""

import re

# What a command line begins with. Anything else that is set like one fails the tests.
PROGRAMS = ("make", "sudo", "systemctl", "man", "forced", "forcectl", "echo", "socat", "examples/",
            "python3", "cc", "swift")
# What is set like a command line and is none: what something prints, or a configuration.
OUTPUT = re.compile(r"\d|\[|[A-Z]\w+=")


def is_command(text):
    word = text.split(" ", 1)[0]
    return any(word == name or name.endswith("/") and word.startswith(name) for name in PROGRAMS)


def commands(path):
    """The command lines of a Markdown file, each with the number of its line, in their order: whole
    fenced blocks of a shell, the lines of indented blocks, and code of several words within text."""
    found, block = [], None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith("```"):
                if block is not None and block[0]:
                    found.append((block[1], "\n".join(block[2])))
                block = (line in ("```sh", "```console"), number + 1, []) if block is None else None
            elif block is not None:
                block[2].append(line)
            elif line.startswith("    ") and not OUTPUT.match(line.strip()):
                command = re.sub(r"\s+#.*", "", line.strip())
                if not is_command(command):
                    raise ValueError(f"{path}:{number}: neither a command nor output: {command}")
                found.append((number, command))
            else:
                found += [(number, code) for code in re.findall(r"`([^`]+)`", line)
                          if " " in code and is_command(code)]
    return found


def needs_machine(command):
    """It changes the system: the virtual machine runs it."""
    return command.split(" ", 1)[0] in ("sudo", "systemctl")
