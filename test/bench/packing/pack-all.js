// Packs every skill below a folder, or computes its digest, in one process: `pack` or `verify`.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { packSkill } from '../../../dist/core/packing/pack-skill.js'
import { digestFolder } from '../../../dist/core/skills/content/read-content.js'

const [work = '', root = ''] = process.argv.slice(2)
const options = { formats: ['tar.gz'], maxFiles: 512, maxBytes: 16 * 1024 ** 2 }
for (const group of readdirSync(root)) {
  for (const name of readdirSync(join(root, group))) {
    const folder = join(root, group, name)
    await (work === 'pack' ? packSkill(folder, options) : digestFolder(folder))
  }
}
