// @module-tag slow
// @module-tag nightly
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isShellInstalled, placeShellScript } from '../../helpers/completion.ts'
import { createFolder } from '../../helpers/skills.ts'

/** These call the program for values, here below the name of the program that is completed. */
const VALUES: readonly [string, string][] = [
  ['exec test.full --arg c', 'city= count='],
  ['exec test.full --arg city=x --arg cou', 'count='],
  ['exec test.full --secret A', 'API_KEY'],
  ['grant test.full --secret A', 'API_KEY'],
  ['read test.full c', 'code/main.py'],
  ['lint --explain naming/mix', 'naming/mixed-scripts'],
  ['lint --select naming,inputs/unr', 'naming,inputs/unread'],
  ['lint --rule naming/dup', 'naming/duplicate-skill='],
  ['config sec', 'secrets.command secrets.file'],
  ['config uns', 'unset'],
  ['config set run.tim', 'run.timeout'],
  ['config unset run.tim', 'run.timeout'],
  ['config get run.tim', 'run.timeout'],
  ['config set run.warm ', 'aslr false true'],
  ['config set run.backend b', 'bubblewrap'],
  ['config set lint.rules.naming w', 'warning'],
]

/** Candidates that a shell offers for a line, with their descriptions where it shows them. */
async function completeValues(shell: 'bash' | 'zsh' | 'fish', line: string): Promise<string[]> {
  const cwd = await placeShellScript(shell)
  const env = { ...process.env, HOME: cwd, PATH: `${cwd}/bin:${process.env['PATH']}` }
  const argv = {
    bash: ['-c', BASH_DRIVER, 'bash', line],
    zsh: ['-f', '-c', ZSH_DRIVER, 'zsh', line],
    fish: ['--no-config', '-c', `source ./script; complete -C '${line}'`],
  }[shell]
  const stdout = execFileSync(shell, argv, { cwd, env, encoding: 'utf8' })
  return stdout.trim().split('\n')
}

const BASH_DRIVER = `source ./script
  COMP_WORDS=(); read -ra COMP_WORDS <<< "\${1//=/ = }"; [[ $1 == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _skills; printf '%s\\n' "\${COMPREPLY[@]}"`

/** Prints the candidates, then the lines that zsh shows. */
const ZSH_DRIVER = `compdef() { : }
  compadd() {
    local -a described; local i
    [[ $1 == -l ]] && described=("\${(@P)3}")
    while [[ $1 != -- ]]; do shift; done; shift
    for ((i = 1; i <= $#; i++)); do print -r -- "\${@[i]}"$'\\t'"\${described[i]}"; done
  }
  source ./script
  words=("\${(@s: :)1}"); CURRENT=$#words; _skills`

/** Sorted values without descriptions, of those that begin with the last word. */
function listMatches(candidates: readonly string[], line: string): string {
  const typed = line.split(' ').at(-1) ?? ''
  const values = candidates.map((each) => each.split('\t')[0] ?? '')
  return values
    .filter((each) => each.startsWith(typed))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join(' ')
}

describe.each(['bash', 'zsh', 'fish'] as const)('values in %s', (shell) => {
  it.skipIf(!isShellInstalled(shell)).each(VALUES)(
    'completes "skills %s" (needs zsh and fish: apt-get install zsh fish)',
    async (line, expected) => {
      expect(listMatches(await completeValues(shell, `skills ${line}`), line)).toBe(expected)
    },
  )
})

describe.each(['zsh', 'fish'] as const)('descriptions in %s', (shell) => {
  it.skipIf(!isShellInstalled(shell)).each([
    ['exec test.full --arg ci', 'string, required: A city. Its name.'],
    ['config set run.time', 'Wall-clock limit of a run without its own timeout'],
    ['lint --explain naming/mix', 'another script'],
    ['doct', 'Check that this machine can run skills'],
    ['list --jso', 'Print one JSON document'],
  ])('describes the candidate of "skills %s"', async (line, description) => {
    const candidates = await completeValues(shell, `skills ${line}`)
    const typed = line.split(' ').at(-1) ?? ''
    expect(candidates.find((each) => each.startsWith(typed))).toContain(description)
  })
})

describe('names of files in bash', () => {
  const hostile = 'm$(touch owned)'

  it('are quoted, and nothing in them is executed', async () => {
    const cwd = await placeShellScript('bash')
    writeFileSync(join(cwd, 'skills/full', hostile), '')
    const env = { ...process.env, HOME: cwd, PATH: `${cwd}/bin:${process.env['PATH']}` }
    const argv = ['-c', BASH_DRIVER, 'bash', 'skills read test.full m']
    const stdout = execFileSync('bash', argv, { cwd, env, encoding: 'utf8' })
    expect(stdout).toContain('m\\$\\(touch\\ owned\\)')
    expect(existsSync(join(cwd, 'owned'))).toBe(false)
  })

  it('would be executed by compgen -W, the control', () => {
    const cwd = createFolder()
    execFileSync('bash', ['-c', 'compgen -W "$1" -- m', 'bash', 'm$(touch${IFS}owned)'], { cwd })
    expect(existsSync(join(cwd, 'owned'))).toBe(true)
  })
})
