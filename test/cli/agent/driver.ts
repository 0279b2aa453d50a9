/** Types on a terminal after each expected output; prints how the process ended. */
export const DRIVER = `
import fcntl, json, os, pty, re, select, struct, sys, termios, time
steps, words = json.loads(sys.argv[1]), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(words[0], words)
seen = b""
def wait_for(what):
    global seen
    end = time.time() + 30
    while not re.search(what.encode(), seen):
        if time.time() > end:
            raise SystemExit("nothing like %r in %r" % (what, seen))
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                return
for what, then in steps:
    wait_for(what)
    seen = b""
    if then == "resize":
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
        time.sleep(0.5)
        then = "\\n"
    os.write(terminal, then.encode())
wait_for("never to be seen")
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

/** Evidence of a terminal in a shell: prompt, size, colours, Ctrl-C and an exit code. */
export const TERMINAL_STEPS = [
  ['demo.*\\$ ', 'resize'],
  ['\\$ ', 'stty size; ls -d --color=always out\n'],
  ['(?s)33 111.*\u001b\\[01;36mout', "sh -c 'echo up; exec sleep 600'\n"],
  ['up\r', '\u0003'],
  // Input that arrives while the shell takes the terminal back would wait for the next key.
  ['(?s)\\^C.*\\$ ', 'exit 5\n'],
]
