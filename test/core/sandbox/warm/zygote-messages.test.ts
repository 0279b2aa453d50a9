import { describe, expect, it } from 'vitest'
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

  it.each(['null\n', '5\n', '{\n', '{"made":"1"}\n', '{"pid":-1}\n', 'x'.repeat(70_000)])(
    'that a run sends which took it over end with an error: %j',
    (text) => {
      expect(() => readText(text)).toThrow()
    },
  )
})
