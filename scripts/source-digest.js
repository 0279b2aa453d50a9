// Tells whether dist was built from the sources as they are: by their content, since a checkout changes times.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const OTHERS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']
/** The build writes the digest of its sources here. */
export const DIGEST_FILE = `${root}dist/.sources`

/** Digest of all files that the build reads. */
export function digestSources() {
  const sources = readdirSync(`${root}src`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('__pycache__'))
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(root.length))
  const builders = readdirSync(`${root}scripts`).filter((name) => /^(?:build|bundle)/.test(name))
  const hash = createHash('sha256')
  for (const path of [...sources, ...builders.map((name) => `scripts/${name}`), ...OTHERS].sort()) {
    const content = readFileSync(`${root}${path}`)
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/** True if dist has what the build makes of the present sources. */
export function isBuilt() {
  try {
    return readFileSync(DIGEST_FILE, 'utf8') === digestSources()
  } catch {
    return false
  }
}
