#!/usr/bin/env node
// Scripts and editors ask for the version all the time, so nothing is loaded for it: this file reads
// package.json with what Node has loaded already, which costs less than one import.
const [word, ...rest] = process.argv.slice(2)
if ((word === '--version' || word === '-V') && rest.length === 0) {
  const { readFileSync, writeSync } = process.getBuiltinModule('node:fs')
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  writeSync(1, `${JSON.parse(manifest).version}\n`)
} else {
  process.getBuiltinModule('node:module').enableCompileCache?.()
  const { main } = await import('../dist/bundle/main.js')
  await main()
}
