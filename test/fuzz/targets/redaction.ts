import { createRedactor } from '../../../src/core/runs/redaction/redact.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

const SECRETS = ['s3cret-Value/42+', 'pä$$ "word\' & more', 'line one of a key\nline two of a key']
const FORMS = SECRETS.flatMap((each) => [
  each,
  Buffer.from(each).toString('base64'),
  Buffer.from(each).toString('hex'),
  encodeURIComponent(each),
  JSON.stringify(each).slice(1, -1),
])

/** Output of a run that contains secrets: none remains, however it is cut into chunks. */
export const target: FuzzTarget = {
  name: 'redaction',
  format: 'bytes',
  seeds: [...FORMS.map((each) => `before ${each} after`), FORMS.join('\n')],
  words: [...FORMS, ...FORMS.map((each) => each.slice(0, each.length >> 1)), '\r\n', '\\n', '\n'],
  open(isPlanted) {
    const redactor = createRedactor(SECRETS)
    const redact = (chunks: readonly Buffer[]) => {
      const stream = redactor.stream()
      const parts = chunks.map((chunk) => stream.push(chunk))
      return Buffer.concat([...parts, stream.end()])
    }
    return (input) => {
      const whole = redact([input])
      const at = input.length >> 1
      const halves = redact([input.subarray(0, at), input.subarray(at)])
      const single = input.length < 600 ? redact([...input].map((byte) => Buffer.of(byte))) : whole
      for (const [clean, how] of [
        [whole, 'whole'],
        [halves, 'halves'],
        [single, 'bytes'],
      ] as const) {
        // The planted bug: a secret that is split between chunks remains.
        const shown =
          isPlanted && how === 'halves' && input.includes(FORMS[0] ?? '') ? input : clean
        const found = FORMS.find((form) => shown.includes(form))
        expectEqual(found, undefined, `the secret that remains (${how})`)
        expectThat(clean.length <= input.length * 3 + 32, 'the output does not grow')
      }
      const text = redactor.text(input.toString('utf8'))
      expectEqual(
        FORMS.find((form) => text.includes(form)),
        undefined,
        'the secret in a text',
      )
      expectEqual(redactor.text(text), text, 'a clean text, redacted again')
    }
  },
}
