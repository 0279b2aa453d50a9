// Fails for each test file that took too long in the last CI run on main, and for entries of files that are gone.
import { existsSync } from 'node:fs'
import { FILE, LIMIT, readJson } from './file-times.js'

const { commit, date, files } = readJson(FILE)
for (const [file, seconds] of Object.entries(files)) {
  if (!existsSync(file)) {
    fail(`${file} does not exist: remove it from ${FILE}.`)
  } else if (seconds > LIMIT) {
    const run = `the CI run of ${commit.slice(0, 8)} on ${date}`
    fail(
      `${file} took ${seconds} s in ${run}, at most ${LIMIT}: make it faster, then remove it from ${FILE}.`,
    )
  }
}

function fail(sentence) {
  console.error(sentence)
  process.exitCode = 1
}
