// Writes the licences of the packages that are parts of the files in dist, for those who install it, and the list of
// these packages, for `npm run licenses`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Lists paths of package-lock.json. */
export const BUNDLED_FILE = 'dist/.bundled'
const LICENSES_FILE = 'dist/third-party-licenses.txt'
const RULE = `\n${'-'.repeat(80)}\n\n`

/** @param files Files that were bundled or copied; those of packages count. */
export function writeBundledPackages(files) {
  const folders = files.flatMap(
    (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? [],
  )
  const packages = [...new Set(folders)].map(readPackage)
  packages.sort((a, b) => (a.title < b.title ? -1 : 1))
  const paths = packages.map(({ folder }) => folder.slice(folder.indexOf('/node_modules/') + 1))
  writeFileSync(BUNDLED_FILE, `${JSON.stringify(paths, null, 2)}\n`)
  writeFileSync(LICENSES_FILE, packages.map(formatPackage).join(RULE))
}

function readPackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
    .toSorted()
    .map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim())
  return { folder, title: `${name}@${version}`, license, texts }
}

function formatPackage({ title, license, texts }) {
  return [`${title}  ${license}`, ...texts, ''].join('\n\n')
}
