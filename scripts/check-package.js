// Packs the package once and checks the archive: publint for its manifest and files, "are the types wrong" for the
// types of each export. Reads dist/, so build first. The scripts of the package do not run: they would build again.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/** The package is ESM only: Node 10's resolution does not find it, and `require` does not load it. */
const IGNORED_RESOLUTIONS = new Set(['node10', 'node16-cjs'])

const root = fileURLToPath(new URL('../', import.meta.url))
if (!existsSync(`${root}dist/index.d.ts`)) {
  console.error('dist/ is missing, and the package is made from it. Type: npm run build')
  process.exit(3)
}
const archive = packArchive()
const found = [...(await lintManifest(archive)), ...(await checkTypes(archive))]
for (const problem of found) console.error(problem)
if (found.length > 0) process.exitCode = 1

function packArchive() {
  // Inside of node_modules, so that an interrupted check leaves nothing elsewhere.
  const folder = `${root}node_modules/.cache/package`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const argv = ['pack', '--json', '--ignore-scripts', '--loglevel=error']
  const packed = spawnSync('npm', [...argv, '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: Infinity,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (packed.status !== 0) throw new Error(`npm pack ended with ${packed.status}`)
  const [{ filename }] = JSON.parse(packed.stdout)
  const bytes = readFileSync(join(folder, filename))
  rmSync(folder, { recursive: true })
  return bytes
}

async function lintManifest({ buffer, byteOffset, byteLength }) {
  const tarball = buffer.slice(byteOffset, byteOffset + byteLength)
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  return messages
    .filter(({ type }) => type === 'error')
    .map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`)
}

async function checkTypes(tarball) {
  const contents = createPackageFromTarballData(new Uint8Array(tarball))
  indexFolders(contents)
  const { types, problems } = await checkPackage(contents)
  if (!types) return ['types: the package has none']
  return problems
    .filter(({ resolutionKind }) => !IGNORED_RESOLUTIONS.has(resolutionKind))
    .map((problem) => `types: ${JSON.stringify({ ...problem, trace: undefined })}`)
}

/** The library searches all files each time it asks for a folder, which takes most of its time with 6,000 files. */
function indexFolders(contents) {
  const folders = new Set(['/'])
  for (const file of contents.listFiles())
    for (let folder = dirname(file); !folders.has(folder); folder = dirname(folder))
      folders.add(folder)
  contents.directoryExists = (path) => folders.has(path.replace(/(?<=.)\/$/, ''))
}
