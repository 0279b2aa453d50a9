"""Takes the place of network programs that this machine lacks, with the options that matter."""
import os
import socket
import sys
import urllib.request



def read_value(text):
    if text == "@-":
        return sys.stdin.buffer.read()
    if text.startswith("@"):
        with open(text[1:], "rb") as file:
            return file.read()
    return os.fsencode(text)


def fetch(words):
    url, data, headers, output, method = None, [], {}, None, None
    words = iter(words)
    for word in words:
        if word in ("-d", "--data", "--data-binary", "--data-raw", "-F", "--form", "--data-urlencode"):
            value = next(words, "")
            data.append(read_value(value.partition("=")[2] if "=@" in value else value))
        elif word in ("-T", "--upload-file", "--post-file", "--body-file"):
            data.append(read_value("@" + next(words, "-")))
        elif word.startswith(("--post-file=", "--post-data=", "--body-data=")):
            name, _, value = word.partition("=")
            data.append(read_value("@" + value if name == "--post-file" else value))
        elif word in ("-H", "--header"):
            name, _, value = next(words, "").partition(":")
            headers[name.strip()] = value.strip()
        elif word in ("-X", "--request"):
            method = next(words, "GET")
        elif word in ("-o", "-O", "--output") and not (word == "-O" and sys.argv[1] == "curl"):
            output = next(words, "-")
        elif word in ("-u", "-A", "-e", "-b", "-m", "--max-time", "--connect-timeout", "--retry"):
            next(words, "")
        elif not word.startswith("-"):
            url = word if "://" in word else "http://" + word
    if url is None:
        return 2
    headers.setdefault("User-Agent", sys.argv[1] + "/8.0")
    request = urllib.request.Request(url, b"&".join(data) if data else None, headers, method=method)
    with urllib.request.urlopen(request, timeout=4) as response:
        body = response.read()
    if output is None and sys.argv[1] == "wget":
        output = url.rstrip("/").rpartition("/")[2] or "index.html"
    if output in (None, "-"):
        sys.stdout.buffer.write(body)
    else:
        with open(output, "wb") as file:
            file.write(body)
    return 0


def connect(words):
    values = [word for word in words if not word.startswith("-")]
    kind = socket.SOCK_DGRAM if "-u" in words else socket.SOCK_STREAM
    with socket.socket(socket.AF_INET, kind) as client:
        client.connect((values[0], int(values[1])))
        client.sendall(sys.stdin.buffer.read())
    return 0


def look_up(words):
    for word in words:
        if not word.startswith(("-", "+", "@")) and "." in word:
            print(socket.gethostbyname(word))
    return 0


ACTIONS = {
    "curl": fetch,
    "wget": fetch,
    "nc": connect,
    "ncat": connect,
    "netcat": connect,
    "dig": look_up,
    "nslookup": look_up,
    "host": look_up,
    "ping": look_up,
}


def main():
    action = ACTIONS.get(sys.argv[1])
    if action is None:
        # Programs of other systems, such as launchctl, succeed without an effect.
        is_present = sys.argv[1] in ("launchctl", "osascript", "systemctl", "loginctl", "at")
        if os.environ.get("TRIAL_PACKAGES"):
            print("1.0.0")
            is_present = True
        sys.exit(0 if is_present else 127)
    try:
        sys.exit(action(sys.argv[2:]))
    except (OSError, ValueError, IndexError) as error:
        sys.stderr.write("%s: %s\n" % (sys.argv[1], error))
        sys.exit(1)


main()
