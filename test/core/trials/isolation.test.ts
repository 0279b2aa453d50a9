// @module-tag slow
import { createServer } from 'node:net'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { MarkerMint } from '../../../src/core/trials/bait/markers.ts'
import { createHomeFiles } from '../../../src/core/trials/bait/home-files.ts'
import { tryFiles } from './trial-fixture.ts'

const PLAIN = { only: { variant: 'plain' } }

/** Runs a Python script, which names its findings by files in the home. */
async function observe(script: string, env: Record<string, string> = {}): Promise<string[]> {
  const text = `import os\ndef found(name):\n    open(os.path.expanduser("~/found-" + name), "w").close()\n${script}`
  const { subjects } = await tryFiles(
    { 'scripts/look.py': text },
    { ...PLAIN, env: { PATH: process.env['PATH'], ...env } },
  )
  return subjects
    .flatMap(({ trace }) => trace)
    .flatMap(({ detail }) => /^created ~\/found-(.*)$/.exec(detail)?.[1] ?? [])
    .toSorted()
}

it('no connection of a trial reaches a service of this machine; the sink answers instead', async () => {
  let connections = 0
  const server = createServer(() => (connections += 1))
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const own = Object.values(networkInterfaces())
    .flat()
    .filter((each) => each?.family === 'IPv4')
    .map((each) => each?.address ?? '')
  const hosts = ['127.0.0.1', 'localhost', '169.254.169.254', 'service.internal', ...own]
  const found = await observe(`
import socket, urllib.request
for host in ${JSON.stringify(hosts)}:
    for way in ("direct", "proxy"):
        try:
            if way == "proxy":
                urllib.request.urlopen("http://%s:${port}/" % host, timeout=2).read()
            else:
                with socket.create_connection((host, ${port}), 2) as client:
                    client.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
                    client.recv(10)
            found(way + "-answered")
        except OSError:
            pass
`)
  expect(connections).toBe(0)
  // The control: the port is named by the script, so the sink answers it.
  expect(found).toEqual(['direct-answered', 'proxy-answered'])
})

it('a trial sees neither variables nor folders of this machine', async () => {
  const found = await observe(
    `
for name in ("HOST_SECRET", "TRIAL_CONTROL"):
    if name in os.environ: found("variable-" + name)
if "OPENAI_API_KEY" in os.environ: found("bait")
for path in ("/work", "/root", "/home/" + "user", "/etc/shadow", ${JSON.stringify(process.cwd())}):
    try:
        os.listdir(path) if os.path.isdir(path) else open(path)
        found("path")
    except OSError: pass
if os.listdir("/home") == ["dev"]: found("home")
`,
    { HOST_SECRET: 'x' },
  )
  expect(found).toEqual(['bait', 'home'])
})

it('the bait has nothing of the real user', () => {
  for (const { path, content } of createHomeFiles(new MarkerMint())) {
    const real = join(homedir(), path)
    if (!existsSync(real) || readFileSync(real).length < 20) continue
    expect(readFileSync(real).equals(Buffer.from(content))).toBe(false)
  }
})

it('markers of two runs differ, and each exists once', () => {
  const [first, second] = [new MarkerMint(), new MarkerMint()]
  for (const mint of [first, second]) createHomeFiles(mint)
  const values = [...first.markers, ...second.markers].map(({ value }) => value)
  expect(new Set(values).size).toBe(values.length)
})

it('a trial cannot change what the next one loads', async () => {
  const found = await observe(`
for path in ("/srv/hooks/sitecustomize.py", "/srv/hooks/bin/x", "/usr/bin/x", "/etc/hosts"):
    try:
        open(path, "a").close()
        found("written")
    except OSError: pass
found("control")
`)
  expect(found).toEqual(['control'])
})

it('a trial that floods the log, the sink and the home ends, and its report is bounded', async () => {
  const { subjects } = await tryFiles(
    {
      'scripts/flood.py': `
import os, socket, threading
def flood():
    for at in range(3000):
        try: socket.gethostbyname("%d.flood.example" % at)
        except OSError: pass
threading.Thread(target=flood, daemon=True).start()
with open(os.environ["TRIAL_LOG"], "ab") as log:
    for _ in range(200): log.write(b"1\\x1fstarted\\x1f" + b"\\x1b[31m" * 2000 + b"\\x1e")
for at in range(5000): open(os.path.expanduser("~/f%d" % at), "w").close()
os.makedirs(os.path.expanduser("~/" + "/".join(["d" * 50] * 40)))
os.symlink("/etc/passwd", os.path.expanduser("~/.bashrc2"))
`,
    },
    PLAIN,
  )
  expect(subjects[0]?.trace.length).toBeLessThanOrEqual(2000)
  expect(subjects[0]?.trace.every(({ detail }) => detail.length <= 500)).toBe(true)
})
