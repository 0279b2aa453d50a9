import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseSuite } from '../../../src/core/testing/suites/parse-suite.ts'
import { createFolder } from '../../helpers/skills.ts'

const SUITE = '[[cases]]\nname = "a"\ncommand = "cat"\nexpect = [{ exit_code = 0 }]\n'

/** Parses a suite whose folder of inputs a stranger has prepared. */
function parse(prepare: (folder: string) => void) {
  const skill = createFolder({ 'tests/t.test.toml': SUITE, 'tests/t/keep': '' })
  prepare(join(skill, 'tests/t'))
  const file = join(skill, 'tests/t.test.toml')
  const { suite, problems } = parseSuite(file, readFileSync(file, 'utf8'))
  const [testCase] = suite?.cases ?? []
  return {
    files: [...(testCase?.files.keys() ?? [])],
    messages: problems.map((each) => each.message),
  }
}

describe('inputs next to a suite', () => {
  it.each<[string, string, (folder: string) => void]>([
    [
      'a pipe as standard input, which would never end',
      '"a.stdin" next to the suite is not a regular file',
      (folder) => execFileSync('mkfifo', [join(folder, 'a.stdin')]),
    ],
    [
      'a folder as standard input',
      '"a.stdin" next to the suite is not a regular file',
      (folder) => mkdirSync(join(folder, 'a.stdin')),
    ],
    [
      'a file as folder',
      '"a.in" next to the suite is not a folder',
      (folder) => writeFileSync(join(folder, 'a.in'), ''),
    ],
    [
      'a link out of the skill',
      'The file "a.in" next to the suite leads out of the skill',
      (folder) => symlinkSync('/etc', join(folder, 'a.in')),
    ],
    [
      'a record of calls, as if fake commands had been called',
      'The folder "a.in" next to the suite has a ".skills-test"',
      (folder) => {
        mkdirSync(join(folder, 'a.in/.skills-test'), { recursive: true })
        writeFileSync(join(folder, 'a.in/.skills-test/calls'), 'git\u00000\u0000')
      },
    ],
    [
      'a file instead of the folder of fake commands',
      'The folder "a.in" next to the suite has a ".skills-test"',
      (folder) => {
        mkdirSync(join(folder, 'a.in'))
        writeFileSync(join(folder, 'a.in/.skills-test'), '')
      },
    ],
    [
      'nine megabytes',
      'The folder "a.in" next to the suite has 9000000 bytes, expected at most 8388608',
      (folder) => {
        mkdirSync(join(folder, 'a.in'))
        writeFileSync(join(folder, 'a.in/large'), Buffer.alloc(9_000_000))
      },
    ],
  ])('are refused with %s', (_, message, prepare) => {
    expect(parse(prepare)).toEqual({ files: [], messages: [message] })
  })

  it('are files of the workspace, without the links in their folder', () => {
    const prepare = (folder: string) => {
      mkdirSync(join(folder, 'a.in'))
      writeFileSync(join(folder, 'a.in/two\nlines'), '')
      symlinkSync('/etc/passwd', join(folder, 'a.in/link'))
    }
    expect(parse(prepare)).toEqual({ files: ['two\nlines'], messages: [] })
  })
})
