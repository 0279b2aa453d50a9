// @module-tag slow
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'

const GREET = '---\nname: greet\ndescription: Greets people.\n---\nGreet.\n'
/** The model writes a skill with a test, which becomes a created file of the run. */
const MODEL = `
conversations:
  - prompt: Greet
    turns:
      - calls:
          - name: workspace_exec
            arguments:
              command: |
                mkdir -p out/planted/tests; cd out/planted
                printf -- '---\\nname: planted\\ndescription: Planted.\\n---\\nPlanted.\\n' > SKILL.md
                printf '[[cases]]\\nname = "x"\\ncommand = "true"\\nexpect = [{ exit_code = 0 }]\\n' > tests/a.test.toml
      - text: done
`
const PROJECT: Tree = {
  'model.yaml': MODEL,
  'skills/greet/SKILL.md': GREET,
  'skills/greet/evals/a/prompt.md': 'Greet',
  'skills/greet/evals/a/graders/a.md': '---\ntype: regex\npattern: done\n---\n',
}
const ARGS = ['test', '--evals', '--model']
const PLANTED = 'greet/iteration-1/eval-a/with_skill/run-1/outputs/out/planted/SKILL.md'

describe('the folder of saved evals', () => {
  it('no command finds a skill that a model wrote into it', async () => {
    const cwd = createFolder(PROJECT)
    const ran = await runSkills([...ARGS, 'script:model.yaml', 'skills/greet'], { cwd })
    expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code: 0 })
    const outputs = join(cwd, 'skills-evals', PLANTED)
    expect(existsSync(outputs)).toBe(true)
    const list = ['--root', '.', 'list', '--json']
    const commands = [list, ['lint', '.', '--json'], ['test', '.', '--json']]
    for (const argv of commands) {
      const { stdout, stderr } = await runSkills(argv, { cwd })
      expect(stdout + stderr, argv.join(' ')).not.toContain('planted')
    }
    // Control: in a folder of another name, each command finds it.
    renameSync(join(cwd, 'skills-evals'), join(cwd, 'elsewhere'))
    for (const argv of commands) {
      const { stdout, stderr } = await runSkills(argv, { cwd })
      expect(stdout + stderr, argv.join(' ')).toContain('planted')
    }
  })

  it('is beside the skill if the command runs inside of it', { tags: ['slow'] }, async () => {
    const project = createFolder(PROJECT)
    const cwd = join(project, 'skills/greet')
    const args = [...ARGS, 'script:../../model.yaml']
    expect((await runSkills(args, { cwd })).code).toBe(0)
    expect(existsSync(join(cwd, 'skills-evals'))).toBe(false)
    expect(existsSync(join(project, 'skills/skills-evals', PLANTED))).toBe(true)
    const refused = await runSkills([...args, '--output', 'results'], { cwd })
    expect(refused.stderr).toContain('The folder "results" is inside the tested skill')
    expect(refused.code).toBe(2)
  })
})
