import type { Requirement } from '../requirement.ts'
import { assertThat, formatValue } from '../assertions.ts'
import { assertText, type ConformanceSession } from '../session.ts'

const page = 'Full Specification'
const RUNS = ['run-code/completes']
const GUIDE = 'skills.protocol.guide'
const FOLDER = `/skills/${GUIDE}`

async function storeBlob(session: ConformanceSession, content: string): Promise<string> {
  const { blob_id: id } = await session.expectResult('create_blob', { content, kind: 'text/plain' })
  assertText(id, 'blob_id')
  return id
}

/** Runs an expression that creates a blob and reads the blob back. */
async function runAndReadBlob(
  session: ConformanceSession,
  lines: string,
): Promise<{ id: unknown; content: unknown; ids: unknown }> {
  const result = await session.runCode(
    `from runtime import blobs\ndef main(args):\n    return ${lines}\n`,
  )
  assertThat(
    result['status'] === 'completed',
    `Expected "completed", got ${formatValue(result['error'] ?? result)}`,
  )
  const { output: id, output_blobs: ids } = result
  const { content } = await session.expectResult('read_blob', { blob_id: id })
  return { id, content, ids }
}

const buildConnectCode = (host: string, port: number) => `import socket
def main(args):
    try:
        socket.create_connection((${JSON.stringify(host)}, ${port}), timeout=5).close()
    except OSError as error:
        return "not reached: " + type(error).__name__
    return "reached"
`

export const SANDBOX: readonly Requirement[] = [
  {
    id: 'sandbox/user',
    level: 'must',
    page,
    text: 'Code does not run as root',
    needs: RUNS,
    async check(session) {
      const user = await session.expectOutput(
        'import os\ndef main(args):\n    return os.geteuid()\n',
      )
      assertThat(
        typeof user === 'number' && user !== 0,
        `Expected another user than root, got ${formatValue(user)}`,
      )
    },
  },
  {
    id: 'sandbox/workspace',
    level: 'must',
    page,
    text: 'Code can write to /workspace',
    needs: RUNS,
    async check(session) {
      const code = `def main(args):
    with open("/workspace/note.txt", "w") as file:
        file.write("written")
    with open("/workspace/note.txt") as file:
        return file.read()
`
      const output = await session.expectOutput(code)
      assertThat(output === 'written', `Expected "written", got ${formatValue(output)}`)
    },
  },
  {
    id: 'sandbox/fresh',
    level: 'must',
    page,
    text: 'Files in /workspace are removed after a run',
    needs: ['sandbox/workspace'],
    async check(session) {
      const name = `left-${Date.now()}`
      await session.expectOutput(`def main(args):\n    open("/workspace/${name}", "w").close()\n`)
      const exists = await session.expectOutput(
        `import os\ndef main(args):\n    return os.path.exists("/workspace/${name}")\n`,
      )
      assertThat(exists === false, 'Expected the file of the previous run to be removed')
    },
  },
  {
    id: 'sandbox/skills',
    level: 'must',
    page,
    text: 'A skill of mount_skills is mounted at /skills/<name>/',
    needs: [...RUNS, 'read-file/content'],
    async check(session) {
      const { content } = await session.expectResult('read_skill_file', {
        name: GUIDE,
        path: 'SKILL.md',
      })
      const code = `def main(args):\n    with open("${FOLDER}/SKILL.md", encoding="utf-8", newline="") as file:\n        return file.read()[:200]\n`
      const output = await session.expectOutput(code, { mount_skills: [GUIDE] })
      const start = [...String(content)].slice(0, 200).join('')
      assertThat(output === start, `Expected the guide, got ${formatValue(output)}`)
    },
  },
  {
    id: 'sandbox/read-only',
    level: 'must',
    page,
    text: 'Skills are mounted read-only',
    needs: ['sandbox/skills'],
    async check(session) {
      const code = `def main(args):
    try:
        open("${FOLDER}/conformance-note.txt", "w").close()
    except OSError:
        return "refused"
    return "written"
`
      const output = await session.expectOutput(code, { mount_skills: [GUIDE] })
      assertThat(output === 'refused', 'Expected writing into a skill to fail')
    },
  },
  {
    id: 'sandbox/network',
    level: 'must',
    page,
    text: 'Code has no network access, not even to the runtime itself',
    needs: RUNS,
    async check(session) {
      const { hostname, port, protocol } = session.url
      const host = hostname.replaceAll(/[[\]]/g, '')
      const number = Number(port || (protocol === 'https:' ? 443 : 80))
      const output = await session.expectOutput(buildConnectCode(host, number))
      assertThat(output !== 'reached', `Expected no connection to ${host}, but there is one`)
    },
  },
  {
    id: 'sandbox/secrets',
    level: 'must',
    page,
    text: 'Code that declares no secrets has none in its environment',
    needs: RUNS,
    async check(session) {
      const code = `import os, re
def main(args):
    return [name for name in os.environ if re.search("SECRET|TOKEN|PASSW|API_?KEY|CREDENTIAL", name, re.I)]
`
      const names = await session.expectOutput(code)
      assertThat(
        formatValue(names) === '[]',
        `Expected no secrets, got the names ${formatValue(names)}`,
      )
    },
  },
  {
    id: 'helpers/read-text',
    level: 'must',
    page,
    text: 'runtime.blobs.read_text reads a blob of input_blobs',
    needs: [...RUNS, 'blob/id'],
    async check(session) {
      const id = await storeBlob(session, 'zwölf, 十二')
      const code =
        'from runtime import blobs\ndef main(args):\n    return blobs.read_text(args["blob"])\n'
      const output = await session.expectOutput(code, { args: { blob: id }, input_blobs: [id] })
      assertThat(
        output === 'zwölf, 十二',
        `Expected the text of the blob, got ${formatValue(output)}`,
      )
    },
  },
  {
    id: 'helpers/write-text',
    level: 'must',
    page,
    text: 'runtime.blobs.write_text creates a blob that can be read',
    needs: [...RUNS, 'blob/content'],
    async check(session) {
      const { content } = await runAndReadBlob(session, 'blobs.write_text("written in a run")')
      assertThat(
        content === 'written in a run',
        `Expected what was written, got ${formatValue(content)}`,
      )
    },
  },
  {
    id: 'helpers/write-json',
    level: 'must',
    page,
    text: 'runtime.blobs.write_json creates a JSON blob',
    needs: ['helpers/write-text'],
    async check(session) {
      const { content } = await runAndReadBlob(session, 'blobs.write_json({"a": [1, None]})')
      let value: unknown
      try {
        value = JSON.parse(String(content))
      } catch {
        value = content
      }
      assertThat(
        JSON.stringify(value) === '{"a":[1,null]}',
        `Expected {"a":[1,null]}, got ${formatValue(content)}`,
      )
    },
  },
  {
    id: 'helpers/output-blobs',
    level: 'must',
    page,
    text: 'Blobs that a run creates are in output_blobs',
    needs: ['helpers/write-text'],
    async check(session) {
      const { id, ids } = await runAndReadBlob(session, 'blobs.write_text("listed")')
      assertThat(
        Array.isArray(ids) && ids.includes(id),
        `Expected ${formatValue(id)} in output_blobs, got ${formatValue(ids)}`,
      )
    },
  },
  {
    id: 'helpers/log',
    level: 'must',
    page,
    text: 'runtime.log.info and error write to logs_preview',
    needs: ['run-code/logs'],
    async check(session) {
      const code =
        'from runtime import log\ndef main(args):\n    log.info("by-info")\n    log.error("by-error")\n'
      const { logs_preview: logs } = await session.runCode(code)
      for (const marker of ['by-info', 'by-error']) {
        assertThat(
          String(logs).includes(marker),
          `Expected "${marker}" in logs_preview, got ${formatValue(logs)}`,
        )
      }
    },
  },
  {
    id: 'helpers/granted',
    level: 'extension',
    page: 'Toolkit',
    text: 'A blob that is not in input_blobs cannot be read',
    needs: ['helpers/read-text'],
    async check(session) {
      const id = await storeBlob(session, 'not for everybody')
      const code =
        'from runtime import blobs\ndef main(args):\n    return blobs.read_text(args["blob"])\n'
      const result = await session.runCode(code, { args: { blob: id } })
      assertThat(
        result['status'] === 'failed',
        `Expected the run to fail, got ${formatValue(result['output'])}`,
      )
    },
  },
  {
    id: 'sandbox/import',
    level: 'must',
    page,
    text: 'Code imports functions of mounted skills from skills.<name>',
    needs: RUNS,
    async check(session) {
      const { name } = await session.getProbe()
      const code = `from skills.${name} import echo\ndef main(args):\n    return echo("heard")\n`
      const output = await session.expectOutput(code, { mount_skills: [name] })
      assertThat(output === 'heard', `Expected "heard", got ${formatValue(output)}`)
    },
  },
]
