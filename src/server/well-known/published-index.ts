import { createHash } from 'node:crypto'
import { removeGuide } from '../../core/skills/repository/remove-guide.ts'
import { SkillRecords } from '../../core/skills/repository/skill-records.ts'
import type { Repository, SkillEntry } from '../../core/skills/repository/repository.ts'
import type { Runtime } from '../../core/runtime.ts'
import { memoize } from '../../util/memoize.ts'
import { startWorkSlices } from '../../util/slices/work-slices.ts'
import type { DigestedBytes } from './answer-bytes.ts'
import { assignPublishedNames, publishSkill, type PublishedSkill } from './publish.ts'

const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'
/** The current discovery path and the one of older tools. */
export const CURRENT_PATH = '/.well-known/agent-skills'
export const LEGACY_PATH = '/.well-known/skills'

/** Both forms of the index, as sent. */
interface RenderedIndex {
  current: DigestedBytes
  legacy: DigestedBytes
}

/** The published skills of a runtime. */
export interface PublishedIndex {
  /** Builds the index; a skill whose files are unchanged is not read again. */
  read(): Promise<RenderedIndex>
  /** Finds a skill by its published name. */
  find(name: string): Promise<SkillEntry | undefined>
}

/** A record; undefined stands for a skill that cannot be published. */
interface IndexRecord {
  name: string
  skill: PublishedSkill | undefined
}

const RECORD_FORMAT = 3

export function createPublishedIndex({ repository, config, cacheDir }: Runtime): PublishedIndex {
  const { roots } = config
  const records = new SkillRecords<IndexRecord>({
    cacheDir,
    name: 'well-known',
    format: RECORD_FORMAT,
    roots,
  })
  let entries: readonly SkillEntry[] | undefined
  let rendered: RenderedIndex | undefined
  let building: Promise<RenderedIndex> | undefined
  const namesOf = memoize(assignPublishedNames)
  const build = async (): Promise<RenderedIndex> => {
    await records.load()
    const list = await repository.list()
    if (rendered && repository.isTracked && list === entries) return rendered
    const yieldIfDue = startWorkSlices()
    const skills: PublishedSkill[] = []
    const dirs = new Set<string>()
    let isComplete = true
    for (const [name, entry] of namesOf(removeGuide(list))) {
      await yieldIfDue()
      dirs.add(entry.dir)
      const signature = repository.signature(entry)
      let record = records.get(entry.dir, signature)
      if (record?.name !== name) {
        record = await createRecord(repository, name, entry)
        if (record) records.set(entry.dir, signature, record)
      }
      if (record?.skill) skills.push(record.skill)
      isComplete &&= record !== undefined
    }
    skills.sort((a, b) => (a.name < b.name ? -1 : 1))
    rendered = await renderIndex(skills)
    entries = isComplete ? list : undefined
    await records.save(dirs)
    return rendered
  }
  return {
    read: async () => await (building ??= build().finally(() => (building = undefined))),
    find: async (name) => namesOf(removeGuide(await repository.list())).get(name),
  }
}

/** Undefined if the skill changed or broke while it was read; the next index includes it again. */
async function createRecord(
  repository: Repository,
  name: string,
  entry: SkillEntry,
): Promise<IndexRecord | undefined> {
  try {
    return { name, skill: await publishSkill(repository, name, entry) }
  } catch {
    return undefined
  }
}

/** Each skill is rendered once. */
const renderSkill = memoize(({ name, type, description, digest, paths }: PublishedSkill) => {
  const url = `${CURRENT_PATH}/${name}${type === 'archive' ? '.tar.gz' : '/SKILL.md'}`
  return {
    current: renderItem({ name, type, description, url, digest }),
    legacy: renderItem({ name, description, files: paths }),
  }
})

/** Renders an item of a list as in a document of two spaces per level. */
function renderItem(item: object): string {
  return `    ${JSON.stringify(item, null, 2).replaceAll('\n', '\n    ')}`
}

async function renderIndex(skills: readonly PublishedSkill[]): Promise<RenderedIndex> {
  const yieldIfDue = startWorkSlices()
  const items: ReturnType<typeof renderSkill>[] = []
  for (const skill of skills) {
    items.push(renderSkill(skill))
    await yieldIfDue()
  }
  const schema = `  "$schema": ${JSON.stringify(SCHEMA)},\n`
  return {
    current: await renderDocument(
      schema,
      items.map((each) => each.current),
    ),
    legacy: await renderDocument(
      '',
      items.map((each) => each.legacy),
    ),
  }
}

/** Joins in pieces, because a long index would block the event loop. */
async function renderDocument(head: string, items: readonly string[]): Promise<DigestedBytes> {
  const yieldIfDue = startWorkSlices()
  const hash = createHash('sha256')
  const pieces: Buffer[] = []
  const add = (text: string) => {
    const piece = Buffer.from(text)
    hash.update(piece)
    pieces.push(piece)
  }
  add(`{\n${head}  "skills": [`)
  for (const [at, item] of items.entries()) {
    add(`${at === 0 ? '' : ','}\n${item}`)
    await yieldIfDue()
  }
  add(`${items.length === 0 ? '' : '\n  '}]\n}\n`)
  return { bytes: Buffer.concat(pieces), digest: `sha256:${hash.digest('hex')}` }
}
