import { expect, it } from 'vitest'
import { runPython } from './run-warm.ts'

/** Functions of the helper library with the parameter names of the specification, then the others. */
const CALLS = [
  'text = blobs.write_text(content="a text")',
  'assert blobs.read_text(blob_id=text) == "a text"',
  'value = blobs.write_json(obj={"a": 1})',
  'assert blobs.read_json(blob_id=value) == {"a": 1}',
  'log.info(msg="an info")',
  'log.error(msg="an error")',
  'log.debug(msg="a debug")',
  'log.warning(msg="a warning")',
  'data = blobs.write_bytes(content=b"x", kind="a/b")',
  'assert blobs.read_bytes(blob_id=data) == b"x"',
  'file = blobs.write_file(file_path=blobs.path(blob_id=data), kind="a/b")',
  'with blobs.open(blob_id=file, mode="rb") as opened: assert opened.read() == b"x"',
  'with blobs.open(mode="w", kind="text/csv") as opened: opened.write("y")',
  'progress(done=1, total=2, message="half")',
]

it('every function of the helper library in Python accepts its parameters by name', async () => {
  const body = CALLS.map((call) => `    ${call}\n`).join('')
  const code = `from runtime import blobs, log, progress\ndef main(args):\n${body}    return "done"\n`
  const result = await runPython(code)
  expect(result.error).toBeUndefined()
  expect(result.output).toBe('done')
  for (const text of ['an info', 'an error', 'a debug', 'a warning']) {
    expect(result.logs_preview).toContain(text)
  }
})
