import {
  ZygoteMessageReader,
  type ZygoteMessage,
} from '../../../src/core/sandbox/warm/zygote-messages.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

const LINES = [
  '{"listening":true}',
  '{"made":1,"pid":7}',
  '{"ended":1,"status":256,"cpu_ms":12}',
  '{"dead":1,"why":"Resource temporarily unavailable"}',
]

/** Output of a zygote that one of its runs may have taken over. */
export const target: FuzzTarget = {
  name: 'zygote-messages',
  format: 'text',
  seeds: [`${LINES.join('\n')}\n`, ...LINES.map((each) => `${each}\n`)],
  words: [...LINES, 'null\n', '[]\n', '"cpu_ms":', '"failure":{}', '"pid":"1"', '-1', '1e999'],
  open: (isPlanted) => (input) => {
    const whole = readAll([input], isPlanted)
    const half = input.length >> 1
    expectEqual(
      readAll([input.subarray(0, half), input.subarray(half)], isPlanted),
      whole,
      'halves',
    )
    for (const { listening, why, ...numbers } of whole.messages) {
      expectThat(listening === undefined || listening, 'listening is true')
      expectThat(why === undefined || typeof why === 'string', 'the reason is text')
      for (const each of Object.values(numbers))
        expectThat(Number(each) >= 0, 'numbers are numbers')
    }
  },
}

function readAll(chunks: readonly Buffer[], isPlanted: boolean) {
  const reader = new ZygoteMessageReader()
  const messages: ZygoteMessage[] = []
  try {
    for (const chunk of chunks) reader.read(chunk, (each) => messages.push(each))
    return { messages, isBroken: false }
  } catch (error) {
    // The planted bug: a line that is not an object is taken as a message.
    if (isPlanted && (error as Error).message.includes('not an object'))
      messages.push({ pid: 'null' as never })
    return { messages, isBroken: true }
  }
}
