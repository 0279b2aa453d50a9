import { describe, expect, it } from 'vitest'
import type { Interpreter } from '../../../../src/core/sandbox/backend.ts'
import { ZYGOTE_FDS, type Launcher } from '../../../../src/core/sandbox/linux/launcher.ts'
import type { ZygoteFolder } from '../../../../src/core/sandbox/warm/zygote-folder.ts'
import { Zygote } from '../../../../src/core/sandbox/warm/zygote.ts'
import {
  ZygoteMessageReader,
  type ZygoteMessage,
} from '../../../../src/core/sandbox/warm/zygote-messages.ts'

function readText(...chunks: string[]): ZygoteMessage[] {
  const messages: ZygoteMessage[] = []
  const reader = new ZygoteMessageReader()
  for (const chunk of chunks) reader.read(Buffer.from(chunk), (each) => messages.push(each))
  return messages
}

describe('messages of a zygote', () => {
  it('are read across chunks, without members that no zygote sends', () => {
    expect(readText('{"made":1,"pi', 'd":7,"failure":{}}\n{"dead":1}\n')).toEqual([
      { made: 1, pid: 7 },
      { dead: 1 },
    ])
  })

  it.each([
    ['null', 'null\n'],
    ['a number', '5\n'],
    ['text that is not JSON', '{\n'],
    ['a number in text', '{"made":"1"}\n'],
    ['a negative number', '{"pid":-1}\n'],
    ['a line without an end', 'x'.repeat(70_000)],
  ])('of another process end with an error: %s', (_, text) => {
    expect(() => readText(text)).toThrow(Error)
  })
})

const FOLDER: ZygoteFolder = {
  etc: '/tmp',
  guest: '/tmp',
  staged: '/tmp',
  top: '/tmp',
  common: [],
  accounts: {},
  remove: () => {},
}

/** A process in the place of a zygote, which writes one line to the host. */
function startImpostor(line: string): Zygote {
  const script = `printf '%s\\n' "$LINE" >&${ZYGOTE_FDS.host}; exec sleep 0.5`
  const command = { argv: ['bash', '-c', script], env: { LINE: line, PATH: '/usr/bin:/bin' } }
  return new Zygote({
    launcher: {
      name: 'namespaces',
      buildZygote: () => ({ ...command, cwd: '/', args: '', outerArgs: '' }),
    } as unknown as Launcher,
    env: {},
    folder: FOLDER,
    interpreter: { path: '/usr/bin/python3', mounts: [], hidden: [] } as unknown as Interpreter,
    mounts: [],
    users: undefined,
    filter: Buffer.alloc(0),
  })
}

it.each(['null', 'not JSON'])(
  'a process that took the place of a zygote and writes %s does not end this process',
  async (line) => {
    const zygote = startImpostor(line)
    await expect(zygote.ready).rejects.toThrow('something else than messages')
    await zygote.dead
  },
)
