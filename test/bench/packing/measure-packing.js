// Compares the digests and the archives of 2,000 skills with sha256sum of the same files. The arms
// are whole processes and alternate in one loop.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateSkills } from '../generate-skills.js'
import { createTemporaryFolder } from '../temporary-folder.js'
import { timeInTurns } from '../turns.js'

const SCRIPT = fileURLToPath(new URL('pack-all.js', import.meta.url))
const ROUNDS = 7
const AGAINST = 'sha256sum of their files'

/**
 * Ratios of whole processes. Compression takes most of the time of archives: it is done in
 * JavaScript, and sha256sum does none.
 */
export async function measurePacking() {
  const root = join(createTemporaryFolder('packing'), 'skills')
  generateSkills(root, 2000)
  addReferences(root)
  const hash = ['-c', 'find "$1" -type f -print0 | xargs -0 sha256sum', 'sh', root]
  const arms = {
    sum: () => run('sh', hash),
    verify: () => run(process.execPath, [SCRIPT, 'verify', root]),
    pack: () => run(process.execPath, [SCRIPT, 'pack', root]),
  }
  const times = await timeInTurns(arms, { rounds: ROUNDS })
  return [
    { ...compareTimes('digests of 2,000 skills', times.verify, times.sum), limit: 3 },
    { ...compareTimes('archives of 2,000 skills', times.pack, times.sum), limit: 10 },
  ]
}

/** 48 KiB of text in each skill, as skills with references have. */
function addReferences(root) {
  for (let at = 0; at < 2000; at++) {
    const folder = join(root, `group-${at % 20}`, `skill-${at}`, 'resources')
    const line = (row) =>
      `${row}. Skill ${at} reads row ${(row * 48271 + at) % 65537} of table ${row % 7}.\n`
    mkdirSync(folder)
    writeFileSync(
      join(folder, 'reference.md'),
      Array.from({ length: 1150 }, (_, row) => line(row)).join(''),
    )
  }
}

function compareTimes(arm, own, base) {
  const pairs = own.map((ms, at) => ms / base[at]).toSorted((a, b) => a - b)
  const [median, p95] = [pairs[Math.floor(pairs.length / 2)], pairs.at(-1)]
  return { arm, against: AGAINST, median, p95 }
}

function run(program, argv) {
  const { status, stderr } = spawnSync(program, argv, { maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
}
