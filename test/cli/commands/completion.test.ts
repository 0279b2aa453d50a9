// @module-tag slow
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { isShellInstalled, placeShellScript } from '../../helpers/completion.ts'
import { sealJson } from '../../../src/util/sealed-json.ts'
import { writeTree } from '../../helpers/skills.ts'

const CASES: readonly [string, string][] = [
  ['skills des', 'describe'],
  ['skills list --kind ', 'action instruction'],
  ['skills list --names', '--namespace'],
  ['skills --root x list --ki', '--kind'],
  ['skills help doc', 'doctor'],
  ['skills completion ', 'bash fish zsh'],
  ['skills exec --inp', '--input-blob'],
  ['skills exec --require-isolation ', 'any strict'],
  ['skills run-code --lang', '--language'],
  ['skills blobs g', 'gc get'],
  ['skills runs ls --status c', 'cancelled completed'],
]

/** These call the program for skill names. */
const ASKING: readonly [string, string][] = [
  ['./run describe dem', 'demo.greet'],
  ['./run exec dem', 'demo.greet'],
  ['./run run-code --mount dem', 'demo.greet'],
  ['./run exec ./sk', './skills'],
]

describe('skills completion bash', () => {
  it('completes ids of blobs without their prefix, since bash splits words at colons', async () => {
    const cwd = await placeShellScript('bash')
    const name = '0123456789abcdef'.repeat(2)
    const createdAt = new Date().toISOString()
    const info = { id: `blob:${name}`, kind: 'a/b', size: 1, digest: '', createdAt }
    writeTree(cwd, {
      [`data/blobs/${name}/content`]: 'x',
      [`data/blobs/${name}/info.json`]: sealJson(info),
    })
    const script = `source ./script
      COMP_WORDS=(./run blobs get 01); COMP_CWORD=3; _skills; printf '%s' "\${COMPREPLY[@]}"`
    const env = { ...process.env, SKILLS_DIRECTORIES_DATA: `${cwd}/data` }
    const stdout = execFileSync('bash', ['-c', script], { cwd, env, encoding: 'utf8' })
    expect(stdout).toBe(name)
  })

  it.each([...CASES, ...ASKING])('completes "%s"', async (line, expected) => {
    const cwd = await placeShellScript('bash')
    const script = `source ./script
      COMP_WORDS=(); read -ra COMP_WORDS <<< "$1"; [[ $1 == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _skills; printf '%s\\n' "\${COMPREPLY[@]}"`
    const stdout = execFileSync('bash', ['-c', script, 'bash', line], { cwd, encoding: 'utf8' })
    expect(stdout.trim().split('\n').sort().join(' ')).toBe(expected)
  })
})

describe('skills completion fish', () => {
  it.skipIf(!isShellInstalled('fish')).each(CASES)(
    'completes "%s" (needs fish: apt-get install fish)',
    async (line, expected) => {
      const cwd = await placeShellScript('fish')
      const script = `source ./script; complete -C "${line}"`
      const stdout = execFileSync('fish', ['--no-config', '-c', script], { cwd, encoding: 'utf8' })
      const candidates = stdout
        .trim()
        .split('\n')
        .map((each) => each.split('\t')[0])
      expect(candidates.toSorted((a = '', b = '') => (a < b ? -1 : 1)).join(' ')).toBe(expected)
    },
  )
})

describe('skills completion zsh', () => {
  it.skipIf(!isShellInstalled('zsh')).each(CASES)(
    'completes "%s" (needs zsh: apt-get install zsh)',
    async (line, expected) => {
      const cwd = await placeShellScript('zsh')
      // Captures the candidates before they reach the line editor.
      const script = `compdef() { : }
      compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@" }
      source ./script
      words=("\${(@s: :)1}"); CURRENT=$#words; _skills`
      const stdout = execFileSync('zsh', ['-f', '-c', script, 'zsh', line], {
        cwd,
        encoding: 'utf8',
      })
      const typed = line.split(' ').at(-1) ?? ''
      const candidates = stdout
        .trim()
        .split('\n')
        .filter((each) => each.startsWith(typed))
      expect(candidates.toSorted((a = '', b = '') => (a < b ? -1 : 1)).join(' ')).toBe(expected)
    },
  )
})
