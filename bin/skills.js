#!/usr/bin/env node
// Scripts and editors ask for the version all the time, so nothing is loaded for it: this file reads
// package.json with what Node has loaded already, which costs less than one import. It is a fast path;
// general way: --version in src/cli/program.ts, differential test: test/cli/version.test.ts
const [word, ...rest] = process.argv.slice(2)
const isVersion = (word === '--version' || word === '-V') && rest.length === 0
if (isVersion && !/^(?:0|false)$/i.test(process.env.SKILLS_FAST_PATHS ?? '')) {
  const { readFileSync, writeSync } = process.getBuiltinModule('node:fs')
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  writeSync(1, `${JSON.parse(manifest).version}\n`)
} else {
  keepCompiled(process.getBuiltinModule('node:module').enableCompileCache)
  const { main } = await import('../dist/bundle/main.js')
  await main()
}

// Node would keep compiled code in the folder for temporary files, where anybody may lay out some
// for others to run: it belongs where only this user writes.
function keepCompiled(enable) {
  const { XDG_CACHE_HOME, HOME } = process.env
  const home = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`)
  if (!enable || !home?.startsWith('/')) return
  const { mkdirSync, lstatSync } = process.getBuiltinModule('node:fs')
  const folder = `${home}/skills/node`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(folder)
    if (uid === process.getuid?.() && (mode & 0o022) === 0) enable(folder)
  } catch {
    // Without a cache it takes a little longer.
  }
}
