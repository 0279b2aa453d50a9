import type { Requirement } from '../requirement.ts'
import { assertThat } from '../assertions.ts'
import type { ConformanceSession } from '../session.ts'

const page = 'JSON-RPC Conventions'
const GUIDE = 'skills.protocol.guide'
const ECHO = 'def main(args):\n    return args\n'
const FAILING = 'def main(args):\n    raise ValueError("no")\n'

/** Calls of every method, successful ones and refused ones. */
const CALLS: readonly (readonly [method: string, params: object])[] = [
  ['load_skills_protocol_guide', {}],
  ['list_skills', { limit: 2 }],
  ['list_skills', { cursor: 'no-such-cursor' }],
  ['describe_skill', { name: GUIDE }],
  ['describe_skill', { name: 'no.such.skill' }],
  ['read_skill_file', { name: GUIDE, path: 'SKILL.md' }],
  ['read_skill_file', { name: GUIDE, path: '../SKILL.md' }],
  ['create_blob', { content: 'a', kind: 'text/plain' }],
  ['create_blob', {}],
  ['read_blob', { blob_id: 'blob:no-such-blob' }],
  ['run_code', { language: 'python', code: ECHO }],
  ['run_code', { language: 'python', code: FAILING }],
  ['run_code', { language: 'python' }],
  ['execute_skill', { name: 'no.such.skill' }],
  ['create_skill', {}],
  ['no_such_method', {}],
]

async function callEveryMethod(session: ConformanceSession): Promise<void> {
  for (const [method, params] of CALLS) await session.call(method, params)
}

/** The last area: these look at the responses to all calls of the other checks too. */
export const RESPONSES: readonly Requirement[] = [
  {
    id: 'responses/envelope',
    level: 'must',
    page,
    text: 'The response to every method is JSON-RPC 2.0: HTTP status 200, the id of the call, and either a result or an error',
    needs: ['rpc/version', 'rpc/id', 'rpc/result-alone', 'rpc/error-shape', 'rpc/error-status'],
    async check(session) {
      await callEveryMethod(session)
      const { envelope } = session.violations
      assertThat(envelope === undefined, envelope ?? '')
    },
  },
  {
    id: 'responses/content-type',
    level: 'must',
    page,
    text: 'The response to every method has the content type application/json',
    needs: ['rpc/post'],
    async check(session) {
      await callEveryMethod(session)
      const { contentType } = session.violations
      assertThat(contentType === undefined, contentType ?? '')
    },
  },
]
