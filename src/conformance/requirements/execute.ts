import { PROBE_MARKDOWN, PROBE_NAME, PROBE_SKILL } from '../probe.ts'
import type { Requirement } from '../requirement.ts'
import { demand, shown, Untried } from '../verdict.ts'
import { demandCode, type Fields, type Session } from '../session.ts'

const page = 'Execution Methods'
const COMPLETES = ['execute/completes']

async function execute(session: Session, args: object, more: object = {}): Promise<Fields> {
  const { name } = await session.probe()
  return await session.result('execute_skill', { name, args, ...more })
}

/** What the probe returned; it has to complete. */
async function output(session: Session, args: object, more: object = {}): Promise<unknown> {
  const result = await execute(session, args, more)
  demand(
    result['status'] === 'completed',
    `Expected "completed", got ${shown(result['error'] ?? result)}`,
  )
  return result['output']
}

export const EXECUTE: readonly Requirement[] = [
  {
    id: 'execute/unknown',
    level: 'must',
    page: 'JSON-RPC Conventions',
    text: 'execute_skill refuses a skill that is not there with -32602',
    needs: ['rpc/error-shape'],
    async check(session) {
      demandCode(await session.refusal('execute_skill', { name: 'no.such.skill' }), -32602)
    },
  },
  {
    id: 'execute/instruction',
    level: 'should',
    page: 'Full Specification',
    text: 'An instruction skill is not executed',
    async check(session) {
      const { json } = await session.call('execute_skill', { name: 'skills.protocol.guide' })
      const { status } = (json?.['result'] ?? {}) as { status?: unknown }
      demand(status !== 'completed', 'Expected an error, got a run that completed')
    },
  },
  {
    id: 'execute/completes',
    level: 'must',
    page,
    text: 'execute_skill runs the entrypoint of a skill',
    async check(session) {
      await output(session, {})
    },
  },
  {
    id: 'execute/args',
    level: 'must',
    page,
    text: 'The function gets args',
    needs: COMPLETES,
    async check(session) {
      const args = { text: 'grün', list: [1, null] }
      const got = await output(session, args)
      demand(
        shown(got) === shown({ given: args }),
        `Expected ${shown({ given: args })}, got ${shown(got)}`,
      )
    },
  },
  {
    id: 'execute/version',
    level: 'must',
    page,
    text: 'A version can be named, and one that is not there is refused',
    needs: COMPLETES,
    async check(session) {
      const { name, version } = await session.probe()
      await output(session, {}, { version })
      await session.refusal('execute_skill', { name, version: '999.999.999' })
    },
  },
  {
    id: 'execute/own-files',
    level: 'must',
    page: 'Full Specification',
    text: 'A skill finds its own files at /skills/<name>/',
    needs: COMPLETES,
    async check(session) {
      const text = await output(session, { do: 'file' })
      demand(text === PROBE_MARKDOWN, `Expected its SKILL.md, got ${shown(text)}`)
    },
  },
  {
    id: 'execute/blobs',
    level: 'must',
    page,
    text: 'A skill reads blobs of input_blobs',
    needs: [...COMPLETES, 'blob/id'],
    async check(session) {
      const given = { content: 'for the skill', kind: 'text/plain' }
      const { blob_id: id } = await session.result('create_blob', given)
      const text = await output(session, { do: 'blob', blob: id }, { input_blobs: [id] })
      demand(text === 'for the skill', `Expected "for the skill", got ${shown(text)}`)
    },
  },
  {
    id: 'execute/failure',
    level: 'must',
    page,
    text: 'An exception of a skill is a run that failed, with its type and message',
    needs: COMPLETES,
    async check(session) {
      const { status, error } = await execute(session, { do: 'fail' })
      demand(status === 'failed', `Expected "failed", got ${shown(status)}`)
      const { message } = (error ?? {}) as { message?: unknown }
      demand(
        String(message).includes('as it was told to'),
        `Expected the message, got ${shown(error)}`,
      )
    },
  },
  {
    id: 'execute/timeout',
    level: 'must',
    page,
    text: 'A skill that exceeds timeout_ms is ended and has failed',
    needs: COMPLETES,
    async check(session) {
      const { status } = await execute(session, { do: 'sleep', seconds: 120 }, { timeout_ms: 1000 })
      demand(status === 'failed', `Expected "failed", got ${shown(status)}`)
    },
  },
]

export const CREATE: readonly Requirement[] = [
  {
    id: 'create/offered',
    level: 'should',
    page: 'Full Specification',
    text: 'create_skill is offered',
    async check(session) {
      const { json } = await session.call('create_skill')
      const { code } = (json?.['error'] ?? {}) as { code?: unknown }
      demand(code !== -32601, 'Expected create_skill, got "Method not found"')
    },
  },
  {
    id: 'create/manifest',
    level: 'must',
    page: 'Full Specification',
    text: 'create_skill refuses a manifest without a name',
    needs: ['create/offered'],
    async check(session) {
      const { name: _, ...nameless } = PROBE_SKILL.manifest
      await session.refusal('create_skill', { ...PROBE_SKILL, manifest: nameless })
    },
  },
  {
    id: 'create/contained',
    level: 'must',
    page: 'Full Specification',
    text: 'create_skill refuses paths that lead out of the skill',
    needs: ['create/offered'],
    async check(session) {
      for (const path of ['../conformance-note.txt', 'code/../../conformance-note.txt']) {
        const manifest = { ...PROBE_SKILL.manifest, name: 'conformance.outside' }
        const files = [...PROBE_SKILL.files, { path, content: 'Not wanted here.' }]
        await session.refusal('create_skill', { ...PROBE_SKILL, manifest, files })
      }
    },
  },
  {
    id: 'create/persisted',
    level: 'must',
    page: 'Full Specification',
    text: 'A skill that was created is there at once, with its files',
    needs: ['create/offered'],
    async check(session) {
      const { name, version } = await session.probe()
      const { skill } = await session.result('describe_skill', { name, version })
      const { manifest } = (skill ?? {}) as { manifest?: Fields }
      demand(manifest?.['name'] === name, `Expected the manifest of ${name}, got ${shown(skill)}`)
      const file = { name, version, path: 'SKILL.md' }
      const { content } = await session.result('read_skill_file', file)
      demand(content === PROBE_MARKDOWN, `Expected its SKILL.md, got ${shown(content)}`)
    },
  },
  {
    id: 'create/answer',
    level: 'must',
    page: 'Full Specification',
    text: 'create_skill answers with the name and version of the skill',
    needs: ['create/offered'],
    async check(session) {
      const probe = await session.probe()
      if (probe.isOld) throw new Untried(`${PROBE_NAME} is there from an earlier check`)
      const { name, version } = probe.answer
      demand(name === PROBE_NAME, `Expected the name ${PROBE_NAME}, got ${shown(name)}`)
      demand(
        version === probe.version,
        `Expected the version ${probe.version}, got ${shown(version)}`,
      )
    },
  },
  {
    id: 'create/immutable',
    level: 'extension',
    page: 'Toolkit',
    text: 'A version that exists is not replaced',
    needs: ['create/persisted'],
    async check(session) {
      await session.refusal('create_skill', PROBE_SKILL)
    },
  },
]
