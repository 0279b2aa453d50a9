// Baseline for lint: one Node process that reads the same files and parses the TOML.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'

const root = process.argv[2]
let bytes = 0
for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const text = readFileSync(join(entry.parentPath ?? entry.path, entry.name), 'utf8')
  bytes += text.length
  if (entry.name === 'skill.toml') parse(text)
}
console.log(bytes)
