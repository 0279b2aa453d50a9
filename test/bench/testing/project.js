// A project with a skill that returns its argument, and with tests of it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const NAME = 'demo.echo'

/** Writes the project, one suite with a number of cases, and one with a single case. */
export function writeProject(dir, cases) {
  const skill = join(dir, 'skills/echo')
  for (const folder of ['code', 'tests']) mkdirSync(join(skill, folder), { recursive: true })
  const manifest = `name = "${NAME}"\nversion = "0.1.0"\ndescription = "Returns its arguments."\nkind = "action"\n\n[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\nexport = "main"\n\n[inputs]\nn = { type = "integer" }\n`
  writeFileSync(join(skill, 'skill.toml'), manifest)
  writeFileSync(join(skill, 'code/main.py'), 'def main(args):\n    return args\n')
  const expectation = 'expect = [{ result = { path = "n", equals = "{{n}}" } }]\n'
  const rows = Array.from({ length: cases }, (_, n) => `  { n = ${n} },\n`).join('')
  const many = `[[cases]]\nname = "many {{n}}"\nargs = { n = "{{n}}" }\nrows = [\n${rows}]\n${expectation}\n`
  const single = `[[cases]]\nname = "single"\nargs = { n = 1 }\n${expectation.replace('"{{n}}"', '1')}`
  writeFileSync(join(skill, 'tests/many.test.toml'), many)
  writeFileSync(join(skill, 'tests/single.test.toml'), single)
}
