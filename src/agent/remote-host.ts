import type { SkillsClient } from '../client/client.ts'
import type { SkillEntry } from '../core/skills/repository/repository.ts'
import { SkillsError } from '../errors.ts'
import { fromRemote } from './explain-remote.ts'
import type { SkillReader } from '../core/skill-context/skill-reader.ts'
import type { SkillSummary } from '../core/skill-context/prompt/skill-summary.ts'
import type { SkillHost, ToolSession } from './host.ts'
import { usesSession, withSession } from './local-host.ts'

/** The skills of a runtime elsewhere, by its client. What is loaded is decided here and told there. */
export function remoteHost(client: SkillsClient): SkillHost {
  const told = new Map<string, Set<string>>()
  let known: { at: number; list: readonly SkillSummary[] } | undefined
  return {
    repository: remoteReader(client),
    async skills() {
      const now = performance.now()
      if (!known || now - known.at > LIST_MS) {
        known = { at: now, list: await fromRemote(listSkills(client)) }
      }
      return known.list
    },
    async call(method, params, { signal, session }) {
      if (usesSession(method)) await fromRemote(tell(client, session, told))
      const options = signal ? { signal } : {}
      const given = withSession(method, params, session)
      return await fromRemote(client.call(method.name, given, options))
    },
    filtered() {
      throw new SkillsError(
        'usage/invalid',
        'Skills of a runtime elsewhere cannot be hidden here',
        {
          hint: 'Give the runtime that serves only the roots that this agent may see',
        },
      )
    },
  }
}

/** How long a list is as good as new: every request of a model needs it. */
const LIST_MS = 30_000

async function listSkills(client: SkillsClient): Promise<readonly SkillSummary[]> {
  const byName = new Map<string, SkillSummary>()
  for await (const { name, description } of client.skills({ limit: 500 })) {
    if (!byName.has(name)) byName.set(name, { name, description })
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Lets the runtime know what was loaded, since it asks that before it runs a skill's command. */
async function tell(
  client: SkillsClient,
  { id, agent, loads }: ToolSession,
  told: Map<string, Set<string>>,
): Promise<void> {
  const key = JSON.stringify([id, agent])
  const known = told.get(key) ?? new Set<string>()
  told.set(key, known)
  for (const { name: skill, read } of loads.skills) {
    if (!read || known.has(skill)) continue
    await client.call('skill_load', { skill, session: id, agent })
    known.add(skill)
  }
}

function remoteReader(client: SkillsClient): SkillReader {
  return {
    async resolve(name, version): Promise<SkillEntry> {
      const { skill } = await fromRemote(
        client.describeSkill({ name, ...(version && { version }) }),
      )
      const { description } = skill.manifest
      return {
        name,
        version: version ?? skill.versions[0] ?? '0.0.0',
        namespace: '',
        description: typeof description === 'string' ? description : '',
        kind: 'instruction',
        tags: [],
        shortDescription: undefined,
        inputs: [],
        dir: '',
        root: '',
      }
    },
    async files({ name, version }) {
      const { skill } = await fromRemote(client.describeSkill({ name, version, detail: 'full' }))
      return (skill.files ?? []).map((file) => ({ path: file.path, size: file.size_bytes }))
    },
    async read({ name, version }, path) {
      const file = await fromRemote(client.readSkillFile({ name, version, path }))
      const bytes = Buffer.from(file.content, file.encoding === 'base64' ? 'base64' : 'utf8')
      return { path, bytes, kind: file.kind }
    },
  }
}
