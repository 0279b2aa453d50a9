import { describe, expect, it } from 'vitest'
import { formatTraceback } from '../../src/util/traceback/format-traceback.ts'

const LOCATIONS = {
  cwd: '/work',
  folders: new Map([
    ['demo.net', '/work/skills/net'],
    ['demo.far', '/srv/far'],
    ['demo.remote', ''],
  ]),
  codeName: 'a.py',
}

function format(text: string) {
  return formatTraceback(text, LOCATIONS).join('\n')
}

describe('formatTraceback', () => {
  it('shows the frames of the skill before those of libraries, for every cause', () => {
    const text = `Traceback (most recent call last):
  File "/python/lib/python3.11/socket.py", line 962, in getaddrinfo
    for res in x:
OSError: no name

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/skills/demo.net/code/main.py", line 6, in main
    return go()
           ^^^^
  File "/python/lib/python3.11/urllib/request.py", line 216, in urlopen
    return opener.open(url)
URLError: failed
`
    expect(format(text)).toBe(`  skills/net/code/main.py:6 in main
    return go()
           ^^^^
  caused by OSError: no name
  in libraries:
    urllib/request.py:216 in urlopen
    socket.py:962 in getaddrinfo`)
  })

  it('shows the code frames of JavaScript, and absolute paths outside the current folder', () => {
    const text = `TypeError: bad
    at JSON.parse (<anonymous>)
    at read (file:///skills/demo.far/node_modules/x/index.js:1:2)
    at async main (file:///skills/demo.far/code/main.js:3:22)
        const items = JSON.parse(text)
                           ^
    at file:///skills/demo.remote/code/main.js:9:1`
    expect(format(text)).toBe(`  /srv/far/code/main.js:3:22 in main
    const items = JSON.parse(text)
                       ^
  demo.remote/code/main.js:9:1
  in libraries:
    x/index.js:1:2 in read`)
  })

  it('shows the position of a syntax error', () => {
    const python = `  File "/skills/demo.net/code/main.py", line 1\n    def main(args) return 1\n                   ^^^^^^\nSyntaxError: expected ':'`
    expect(format(python)).toBe(
      '  skills/net/code/main.py:1\n    def main(args) return 1\n                   ^^^^^^',
    )
    const typescript = `/skills/demo.net/code/main.ts:2\n  const x = ;\n            ^\n\nSyntaxError: bad`
    expect(format(typescript)).toContain('  skills/net/code/main.ts:2\n      const x = ;\n')
  })

  it.each([
    ['File "<code>", line 4, in main', 'a.py:4 in main'],
    ['File "/tmp/submitted/code.mjs", line 4, in main', 'a.py:4 in main'],
  ])('names the file of submitted code for %s', (frame, shown) => {
    const text = `Traceback (most recent call last):\n  ${frame}\n    x\nValueError: bad\n`
    expect(format(text)).toBe(`  ${shown}\n    x`)
  })

  it('counts frames of libraries beyond eight', () => {
    const frames = Array.from({ length: 11 }, (_, line) => `  File "/usr/x.py", line ${line}, in f`)
    const text = `Traceback (most recent call last):\n${frames.join('\n')}\nValueError: bad`
    expect(format(text).split('\n')).toHaveLength(10)
    expect(format(text)).toContain('\n    and 3 more')
  })

  it('keeps a text that it cannot parse, with paths of this machine', () => {
    const group = `  + Exception Group Traceback (most recent call last):\n  |   File "/skills/demo.net/code/main.py", line 2, in main\n  | ExceptionGroup: two`
    expect(format(group)).toContain('File "skills/net/code/main.py", line 2')
    expect(format('/skills/demo.net/code/main.sh:3: false')).toBe(
      '  skills/net/code/main.sh:3: false',
    )
  })
})
