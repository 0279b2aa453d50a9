// Makes `npx skills` in a clone run this clone: npm links the bins of dependencies, not its own.
import { existsSync, rmSync, symlinkSync } from 'node:fs'

const folder = new URL('../node_modules/.bin/', import.meta.url)
if (existsSync(folder)) {
  for (const name of ['skills', 'skills-protocol']) {
    const link = new URL(name, folder)
    rmSync(link, { force: true })
    symlinkSync('../../bin/skills.js', link)
  }
}
