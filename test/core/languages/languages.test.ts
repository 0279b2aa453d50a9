import { describe, expect, it } from 'vitest'
import {
  normalizeAlias,
  normalizeExecutable,
} from '../../../src/core/languages/resolve-language.ts'
import { LANGUAGES, getLanguage } from '../../../src/core/languages/index.ts'
import { LANGUAGE_NAMES, type LanguageName } from '../../../src/core/languages/language.ts'
import { isAtLeast, readVersion } from '../../../src/core/languages/program-version.ts'

const PATHS = {
  code: '/code/file',
  build: '/build',
  memoryBytes: 1024 ** 3,
  program: (name: string) => `/bin/${name}`,
}

/** Builds the argv of the first candidate for this code, compiled or not. */
function buildCommands(name: LanguageName, text: string, candidate = 0) {
  const plan = getLanguage(name).candidates[candidate]?.inline({
    text,
    version: '24.0.0',
  })
  return { ...plan, compile: plan?.compile?.command(PATHS), run: plan?.run(PATHS) }
}

describe('the list of languages', () => {
  it('has one entry for every name', () => {
    expect(LANGUAGES.map(({ name }) => name)).toEqual([...LANGUAGE_NAMES])
    expect(LANGUAGE_NAMES).toHaveLength(17)
  })

  it.each(LANGUAGES.map((each) => [each.name, each] as const))(
    'defines candidates, aliases and installation instructions of %s',
    (_, { candidates, aliases, install, title }) => {
      expect(candidates.length).toBeGreaterThan(0)
      expect(install).not.toBe('')
      expect(title).not.toBe('')
      for (const { program } of candidates) expect(aliases).toContain(program.toLowerCase())
      expect(aliases).toEqual(aliases.map((each) => each.toLowerCase()))
    },
  )

  it.each([
    ['python', 'main.py'],
    ['shell', 'main.sh'],
    ['powershell', 'main.ps1'],
    ['go', 'main.go'],
    ['java', 'Main.java'],
    ['kotlin', 'main.kts'],
    ['rust', 'main.rs'],
    ['c', 'main.c'],
    ['cpp', 'main.cpp'],
    ['ruby', 'main.rb'],
    ['php', 'main.php'],
    ['perl', 'main.pl'],
    ['r', 'main.R'],
    ['elixir', 'main.exs'],
    ['node', 'main.mjs'],
    ['typescript', 'main.mts'],
    ['csharp', 'main.csx'],
  ] as const)('names the file of %s %s', (name, file) => {
    expect(buildCommands(name, 'x').file).toBe(file)
  })
})

describe('inline code', () => {
  it.each(['python', 'ruby', 'php', 'perl', 'r', 'elixir', 'shell'] as const)(
    'in %s is passed to its program as a file',
    (name) => {
      const { program } = getLanguage(name).candidates[0] ?? {}
      expect(buildCommands(name, 'x').run).toEqual([`/bin/${program}`, '/code/file'])
    },
  )

  it.each(['rust', 'c', 'cpp', 'go'] as const)('in %s is compiled, then run', (name) => {
    const { program = '' } = getLanguage(name).candidates[0] ?? {}
    const { compile, run } = buildCommands(name, 'x')
    expect(compile).toEqual(
      expect.arrayContaining([`/bin/${program}`, '/code/file', '-o', '/build/program']),
    )
    expect(run).toEqual(['/build/program'])
  })

  it('for Node is passed as an argument, so that imports resolve from the current folder', () => {
    const { run } = buildCommands('node', 'console.log(1)')
    expect(run?.[0]).toBe('/bin/node')
    expect(run?.slice(-5)).toEqual(['--input-type=module', '--eval', 'console.log(1)', '--', '-'])
  })

  it('for Node is passed as a file if it is too long for an argument', () => {
    expect(buildCommands('node', `/* ${'x'.repeat(200_000)} */`).run?.at(-1)).toBe('/code/file')
  })

  it('in Kotlin is compiled if it has a function main, and runs as a script otherwise', () => {
    expect(buildCommands('kotlin', 'println(1)')).toMatchObject({
      file: 'main.kts',
      compile: undefined,
      run: ['/bin/kotlinc', '-script', '/code/file'],
    })
    const program = buildCommands('kotlin', 'fun main() { println(1) }')
    expect(program.file).toBe('main.kt')
    expect(program.compile).toContain('/build/program.jar')
    expect(program.run).toEqual(expect.arrayContaining(['/bin/java', '-jar', '/build/program.jar']))
  })

  it('in PowerShell exits with the code of its last command', () => {
    const plan = buildCommands('powershell', 'x')
    expect(plan.footer).toContain('exit $LASTEXITCODE')
    expect(plan.run).toEqual(expect.arrayContaining(['/bin/pwsh', '-NoProfile', '/code/file']))
  })

  it('in C# runs by dotnet-script, or by Mono in two steps', () => {
    expect(buildCommands('csharp', 'x').run).toEqual(['/bin/dotnet-script', '/code/file'])
    expect(buildCommands('csharp', 'x', 1)).toMatchObject({
      compile: ['/bin/mcs', '-out:/build/program.exe', '/code/file'],
      run: ['/bin/mono', '/build/program.exe'],
    })
  })

  it('in TypeScript runs by any of the installed programs', () => {
    const { candidates } = getLanguage('typescript')
    expect(candidates.map(({ program }) => program)).toEqual([
      'node',
      'tsx',
      'bun',
      'deno',
      'ts-node',
      'esbuild',
    ])
    expect(buildCommands('typescript', 'x', 1).run).toEqual([
      '/bin/tsx',
      '--import',
      expect.stringMatching(/runtime\/typescript\.mjs\?inline=%2Fcode%2Ffile&/),
      '/code/file',
    ])
    expect(buildCommands('typescript', 'x', 2).run).toEqual(['/bin/bun', '--eval', 'x', '--', '-'])
    expect(buildCommands('typescript', 'x', 3).run).toEqual([
      '/bin/deno',
      'eval',
      '--quiet',
      '--ext=ts',
      'x',
      '--',
    ])
  })

  it.each([
    ['console.log(1 as number)', true],
    ['enum A { B }', false],
    ['namespace N { export const a = 1 }', false],
    ['class C { constructor(public x: number) {} }', false],
    ['@logged class C {}', false],
    ["import { x } from './lib'", false],
    ["import fs = require('node:fs')", false],
  ])('in TypeScript is passed to Node itself if it needs no transform: %s', (code, isStripped) => {
    const [candidate] = getLanguage('typescript').candidates
    const paths = { code: '/code/file', build: '/build', memoryBytes: 1, program: () => 'node' }
    const runOn = (version: string) => candidate?.inline({ text: code, version }).run(paths)
    expect(runOn('22.18.0')?.includes('--input-type=module-typescript')).toBe(isStripped)
    expect(runOn('20.19.0')).not.toContain('--input-type=module-typescript')
  })
})

describe('arguments without code', () => {
  it.each([
    [
      ['test', './...'],
      ['test', './...'],
    ],
    [['version'], ['version']],
    [
      ['main.go', 'a'],
      ['run', 'main.go', 'a'],
    ],
    [['.'], ['run', '.']],
  ])('for Go %j become %j', (args, expected) => {
    expect(getLanguage('go').candidates[0]?.buildDirectArgs?.(args)).toEqual(expected)
  })
})

describe('names of executables', () => {
  it.each([
    ['C:\\Program Files\\nodejs\\node.exe', 'node.exe'],
    ['"C:\\ruby\\bin\\ruby.exe"', 'ruby.exe'],
    ['Rscript', 'rscript'],
    ['/usr/bin/python3', 'python3'],
    ["'bash'", 'bash'],
  ])('%s is normalized to %s', (executable, name) => {
    expect(normalizeExecutable(executable)).toBe(name)
  })

  it('lose the .exe extension of Windows', () => {
    expect(normalizeAlias('Node.EXE')).toBe('node')
  })
})

describe('versions', () => {
  it.each([
    ['go version go1.19.8 linux/amd64', '1.19.8'],
    ['openjdk 17.0.15 2025-04-15', '17.0.15'],
    ['v20.20.2', '20.20.2'],
    ['no number here\nat all', 'no number here'],
    ['', ''],
  ])('the version in %j is %j', (text, version) => {
    expect(readVersion(text)).toBe(version)
  })

  it.each([
    ['22.18.0', '22.18.0', true],
    ['22.6', '22.18.0', false],
    ['23.0.0', '22.18.0', true],
    ['1.3-SNAPSHOT', '1.4.0', false],
    ['11', '11.0.0', true],
    ['', '1', false],
  ])('%s is at least %s: %s', (version, least, expected) => {
    expect(isAtLeast(version, least)).toBe(expected)
  })
})
