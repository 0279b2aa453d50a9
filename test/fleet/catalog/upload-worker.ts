import { openCatalog } from '../../../src/fleet/catalog/open-catalog.ts'
import { openFleetUploadedSkills } from '../../../src/fleet/catalog/fleet-uploaded-skills.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import { getUploadsRoot } from '../../../src/core/skills/uploads/uploads-root.ts'

// Adds a skill, and stops at a point: while its draft is checked, before its archive is written, or
// between its archive and its entry.
const [servers = '', tenant = '', dataDir = '', point = ''] = process.argv.slice(2)

async function stopAt(reached: string): Promise<void> {
  if (reached !== point) return
  process.stdout.write(`${point}\n`)
  await new Promise<never>(() => setInterval(() => {}, 1000))
}

const engine = await openEngine({ servers, name: 'child', tenant, patienceMs: 30_000 })
const replace = engine.replace.bind(engine)
engine.replace = async (stream, ...rest) => {
  await stopAt('naming')
  return await replace(stream, ...rest)
}
const objects = openObjects(engine, 'skills')
const write = objects.write.bind(objects)
objects.write = async (content) => {
  await stopAt('writing')
  return await write(content)
}
const root = getUploadsRoot(dataDir)
const catalog = await openCatalog(engine, objects, { root })
const limits = { maxSkills: 10, quotaBytes: 1e9 }
const toml =
  'name = "demo.note"\nversion = "1.0.0"\ndescription = "A note."\nkind = "instruction"\n'
const files = new Map([
  ['skill.toml', Buffer.from(toml)],
  ['SKILL.md', Buffer.from('---\nname: note\ndescription: A note.\n---\n\n# Note\n')],
])
await openFleetUploadedSkills({ engine, objects, catalog, dataDir, limits }).add(
  { name: 'demo.note', version: '1.0.0', files },
  async () => await stopAt('checking'),
)
