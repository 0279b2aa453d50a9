// Copies the declarations that the entries of the package reach to dist/types: most of dist/**/*.d.ts is of modules
// that no user of the library sees.
import { cpSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** `import … from`, `export … from` and `import(…)` with a relative path. */
const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*)["'](?<path>\.[^"']+?)(?:\.ts|\.js)["']/g

/** @param entries Paths of declarations in dist. */
export function copyTypes(entries) {
  const found = new Set(entries)
  for (const file of found) {
    const text = readFileSync(join('dist', file), 'utf8')
    for (const { groups } of text.matchAll(IMPORT))
      found.add(join(dirname(file), `${groups.path}.d.ts`))
    cpSync(join('dist', file), join('dist/types', file))
  }
}
