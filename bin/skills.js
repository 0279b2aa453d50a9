#!/usr/bin/env node
// Fast path for --version: scripts and editors ask for it often, so this file loads nothing and
// reads package.json with built-in modules. General path: --version in src/cli/program.ts;
// differential test: test/cli/version.test.ts
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

// Node's default compile cache is in the folder for temporary files, where another user could plant
// code. This one is in a folder that only this user can write.
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
    // A missing cache only costs start-up time.
  }
}
