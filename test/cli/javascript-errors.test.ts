import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const PERMISSIONS = '\n[permissions]\nnetwork = ["https://api.example.test"]\n'
const FETCH = 'export async function main() {\n  await fetch("https://api.example.test/x")\n}\n'

function createProject(files: Record<string, string>, toml = '') {
  const skill = createActionSkill('demo.js', { toml })
  const manifest = String(skill['skill.toml'])
    .replace('python', 'node')
    .replace('code/main.py', 'code/main.js')
  return createFolder(prefixPaths('skills/js', { ...skill, ...files, 'skill.toml': manifest }))
}

async function failWith(files: Record<string, string>, toml?: string) {
  const ran = await runSkills(['exec', 'demo.js'], { cwd: createProject(files, toml) })
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  return ran.stderr
}

describe('an error of JavaScript', () => {
  it('is shown with its file, line and code', async () => {
    const main = 'export function main(args) {\n  return args.x.y\n}\n'
    expect(await failWith({ 'code/main.js': main })).toBe(
      "failed: TypeError: Cannot read properties of undefined (reading 'y')\n" +
        '  skills/js/code/main.js:2:17 in main\n    return args.x.y\n                  ^\n',
    )
  })

  it('has a location if an imported file does not compile', async () => {
    const files = {
      'code/main.js': 'import "./other.js"\nexport const main = () => 1\n',
      'code/other.js': '// first\nconst x = ;\n',
    }
    // Node reports the column of some syntax errors only.
    expect(await failWith(files)).toMatch(
      /^failed: SyntaxError: .*\n {2}skills\/js\/code\/other\.js:2(?::11)?\n {4}const x = ;\n {14}\^\n/,
    )
  })

  it('says why fetch failed, and the remedy before the location', async () => {
    const stderr = await failWith({ 'code/main.js': FETCH }, PERMISSIONS)
    // Since Node 24, the stack of this error has no frame of the caller.
    const hasFrame = Number(process.versions.node.split('.')[0]) < 24
    expect(stderr).toContain(
      'failed: TypeError: fetch failed: getaddrinfo ENOTFOUND api.example.test\n' +
        '  → Add --allow-network to allow https://api.example.test\n' +
        (hasFrame ? '  skills/js/code/main.js:2:3 in main\n' : '  TypeError: fetch failed\n'),
    )
  })
})
