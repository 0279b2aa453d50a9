import { describe, expect, it } from 'vitest'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

const INPUTS = '\n[inputs]\nname = { type = "string", required = true }\ntext = { type = "blob" }\n'
const CODE = `
from runtime import blobs
def main(args):
    if "text" in args:
        return blobs.read_text(args["text"])
    if args["name"] == "bad":
        raise ValueError("bad")
    return args["name"]
`

const DOCUMENT = [
  '# Demo',
  '```sh',
  'skills exec ./skills/echo --arg name=A',
  'skills exec demo.echo --args \'{"name": "B"}\'',
  'skills exec demo.echo --arg name=C --blob text=skills/echo/data/a.txt',
  'skills exec demo.echo --arg name=bad',
  'skills exec demo.echo --arg name="<your name>"',
  '```',
  '```console',
  '$ cat data/a.txt',
  'content [..]',
  '$ echo other',
  'something else',
  '```',
].join('\n')

describe('skills test --docs', () => {
  it('runs the documented calls and transcripts, and counts incomplete ones', async () => {
    const skill = createActionSkill('demo.echo', { toml: INPUTS })
    const cwd = createFolder({
      'skills/echo/skill.toml': skill['skill.toml'] ?? '',
      'skills/echo/code/main.py': CODE,
      'skills/echo/data/a.txt': 'content of a file\n',
      'skills/echo/SKILL.md': `---\nname: echo\ndescription: x\n---\n${DOCUMENT}\n`,
    })
    const { stdout, stderr, code } = await runSkills(['test', '--docs', '--json'], { cwd })
    const { cases } = JSON.parse(stdout) as { cases: { name: string; status: string }[] }
    expect(cases.map(({ name, status }) => `${status} ${name}`)).toEqual([
      'passed call (line 7)',
      'passed call (line 8)',
      'passed call (line 9)',
      'failed call (line 10)',
      'passed $ cat data/a.txt (line 14)',
      'failed $ echo other (line 16)',
    ])
    expect(stderr).toContain('Incomplete examples that did not run: 1')
    expect(code).toBe(1)
  })
})
