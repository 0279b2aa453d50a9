// Compares the hot paths of this build with those of another commit:
// npm run bench -- --against <commit or "baseline"> [--check] [--only <part of a path's name>]
// "baseline" is the commit in baseline.json. With --check, a slow path fails.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { buildCommit, buildThis, resolveCommit } from './build-commit.js'
import { findSlow, formatRatios } from './compare.js'
import { measurePath } from './measure-path.js'
import { PATHS } from './paths.js'

const options = {
  against: { type: 'string' },
  check: { type: 'boolean' },
  only: { type: 'string', default: '' },
}
const { against, check, only } = parseArgs({ options }).values
try {
  const slow = await compareBuilds(against === 'baseline' ? readBaseline() : against)
  process.exit(check && slow.length > 0 ? 1 : 0)
} catch (error) {
  console.error(error.message)
  // The other build's processes end with this one.
  process.exit(1)
}

/** Prints a line per path, and returns a sentence per slow one. */
async function compareBuilds(name) {
  const commit = resolveCommit(name)
  const roots = [buildThis(), buildCommit(commit)]
  console.log(`Times of this build divided by those of ${commit}: median (middle half)`)
  const slow = []
  for (const path of PATHS.filter((each) => each.name.includes(only))) {
    const found = await findSlowness(path, roots)
    // The folders of one build may lie worse than those of the other: a slow path is measured in new ones.
    slow.push(...(found.length > 0 ? await findSlowness(path, roots) : []))
  }
  for (const sentence of slow) console.log(sentence)
  return slow
}

async function findSlowness(path, roots) {
  const ratios = await measurePath(path, roots)
  console.log(`${path.name.padEnd(28)} ${formatRatios(ratios)}`)
  return findSlow(path.name, ratios)
}

function readBaseline() {
  return JSON.parse(readFileSync(new URL('baseline.json', import.meta.url), 'utf8')).commit
}
