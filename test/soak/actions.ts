import { setTimeout as sleep } from 'node:timers/promises'
import { call, digestOf, type Answer, type Ledger } from './client.ts'
import type { SoakServer } from './server.ts'

export interface Actor {
  server: SoakServer
  ledger: Ledger
  /** A text that nobody else uses. */
  mark: string
}

type Action = (actor: Actor) => Promise<void>

/** Refusals that faults explain: too busy, cancelled at the end, disk full. */
const EXPLAINED = new Set([-32002, -32003, -32004])
/** Faults of the machine, which the answer names. */
const OF_MACHINE = new Set(['sandbox/unavailable', 'store/unavailable', 'file/unreadable'])

/** What clients do, one after the other. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  async storeBlob({ server, ledger, mark }) {
    const params = { content: `blob ${mark}`, kind: 'text/plain' }
    const answer = await ask({ server, ledger, mark }, 'create_blob', params)
    const id = answer?.result?.['blob_id']
    if (typeof id === 'string') ledger.blobs.set(id, digestOf(params.content))
  },
  async echo(actor) {
    const params = { name: 'soak.echo', args: { text: actor.mark } }
    const answer = await ask(actor, 'execute_skill', params)
    finished(actor, answer, (output) => output['text'] === actor.mark)
  },
  async writeFromRun(actor) {
    const code = `from runtime import blobs\ndef main(args):\n    return {"text": args["text"], "blob": blobs.write_text(args["text"])}`
    const params = { language: 'python', code, args: { text: `run ${actor.mark}` } }
    const answer = await ask(actor, 'run_code', params)
    finished(actor, answer, (output) => {
      actor.ledger.blobs.set(String(output['blob']), digestOf(params.args.text))
      return output['text'] === params.args.text
    })
  },
  async createSkill({ server, ledger, mark }) {
    const name = `made.${mark.replaceAll('-', '_')}`
    const manifest = { name, version: '1.0.0', description: mark, kind: 'instruction' }
    const answer = await ask({ server, ledger, mark }, 'create_skill', {
      manifest,
      skill_md: `# ${mark}\n`,
    })
    if (answer?.result) ledger.skills.set(name, mark)
  },
  async list(actor) {
    const answer = await ask(actor, 'list_skills', { limit: 500 })
    if (answer?.error) actor.ledger.fail(`list_skills: ${JSON.stringify(answer.error)}`)
  },
  async readVictim(actor) {
    await ask(actor, 'read_skill_file', { name: 'soak.victim', path: 'SKILL.md' })
  },
  async leaveInTheMiddle({ server, ledger, mark }) {
    const gone = new AbortController()
    const code = 'import time\ndef main(args):\n    time.sleep(120)'
    const asked = { id: mark, method: 'run_code', params: { language: 'python', code } }
    const answer = call(server, asked, gone.signal)
    await sleep(50 + Math.random() * 400)
    gone.abort()
    await answer
    ledger.count('clients gone')
  },
}

function isExplained(error: Answer['error']): boolean {
  return !error || EXPLAINED.has(error.code) || OF_MACHINE.has(error.data?.kind ?? '')
}

async function ask(
  { server, ledger, mark }: Actor,
  method: string,
  params: object,
): Promise<Answer | undefined> {
  const answer = await call(server, { id: mark, method, params })
  ledger.count(answer ? method : 'connections lost')
  if (!answer) return undefined
  if (answer.id !== mark) ledger.fail(`${method} for ${mark} was answered for ${String(answer.id)}`)
  const { error } = answer
  if (error) ledger.count(`refused ${error.data?.kind ?? error.code}`)
  const isKnown = isExplained(error) || method === 'read_skill_file'
  if (!isKnown || error?.message === 'Internal error') {
    ledger.fail(`${method}: ${JSON.stringify(error)}`)
  }
  return answer
}

function finished(
  { ledger, mark }: Actor,
  answer: Answer | undefined,
  isOwn: (output: Record<string, unknown>) => boolean,
): void {
  const { result } = answer ?? {}
  if (!result) return
  const status = String(result['status'])
  ledger.count(`runs ${status}`)
  ledger.runs.set(String(result['run_id']), status)
  if (status !== 'completed') return
  const output = (result['output'] ?? {}) as Record<string, unknown>
  if (!isOwn(output)) ledger.fail(`the run for ${mark} answered ${JSON.stringify(output)}`)
}
