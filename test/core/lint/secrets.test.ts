import { describe, expect, it } from 'vitest'
import {
  createExampleMarkdown,
  createExampleToml,
  EXAMPLE_SKILL,
  EXAMPLE_TABLES,
} from '../../../src/core/lint/example-skill.ts'
import { findSecrets } from '../../../src/core/lint/secrets/find-secrets.ts'
import { maskSource } from '../../../src/core/lint/secrets/mask-secrets.ts'
import { createFolder, runSkills, type Tree } from '../../helpers/skills.ts'

// Joined at run time, so that scanners of repositories do not report this file.
const GITHUB = ['ghp', 'q8Zr2Lw9Xk4Tn7Vb1Ym6Rd3Hs5Jf0Gc8Pa2U'].join('_')
const OTHER_GITHUB = ['ghp', 'W3kz9Qm1Vt6Bx4Ny8Lr2Js7Hd5Fg0Pc3Za1E'].join('_')
const AWS = ['AKIA', 'QW7ZR2LW9XK4TN6V'].join('')
const RANDOM = 'q8Zr2Lw9Xk4Tn7Vb1Ym6'
const KEY_BODY = 'MIIEpAIBAAKCAQEA7Zr2Lw9Xk4Tn7Vb1Ym6Rd3Hs5Jf0Gc8Pa2UQw5Ty9Bn'

const valuesIn = (file: string, text: string) => findSecrets(file, text).map(({ value }) => value)

describe('findSecrets()', () => {
  it('finds every token of a file, also after a sample of the same kind', () => {
    const text = `AKIAIOSFODNN7EXAMPLE ${AWS}\n${GITHUB}\n${OTHER_GITHUB}\n`
    expect(valuesIn('SKILL.md', text)).toEqual([AWS, GITHUB, OTHER_GITHUB])
  })

  it.each([
    ['AKIAIOSFODNN7EXAMPLE'],
    ['AKIAXXXXXXXXXXXXXXXX'],
    ['AKIA1234567890ABCDEF'],
    [`ghp_${'x'.repeat(36)}`],
    ['ghp_abcdefghijklmnopqrstuvwxyz0123456789'],
    ['ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['xoxb-your-token-goes-here'],
    ['sk-ant-api03-your-key-here-replace-me-now'],
    ['sk_live_FAKE4eC39HqLyjWDarjtT1zdp7dc'],
    [`AIza${'X'.repeat(35)}`],
    ['regex = r"-----BEGIN RSA PRIVATE KEY-----"'],
    ['-----BEGIN PRIVATE KEY-----\n    ...\n    -----END PRIVATE KEY-----'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0...\n-----END PRIVATE KEY-----'],
    [
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
    ],
    ['AIzaSyA1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q'],
    ['Authorization: Bearer eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJ1c2VyIjoiYWRtaW4ifQ.'],
    ['.sk-folding-cube-and-another-long-class-name-of-a-spinner'],
  ])('takes %j for a sample', (text) => {
    expect(valuesIn('SKILL.md', text)).toEqual([])
  })

  it.each([
    ['a key with its body', `-----BEGIN RSA PRIVATE KEY-----\n${KEY_BODY}\n`],
    ['a key in a string', `"-----BEGIN PRIVATE KEY-----\\n${KEY_BODY}"`],
    ['an AWS secret key', `aws_secret_access_key = ${RANDOM}${RANDOM}\n`],
  ])('finds %s', (_, text) => {
    expect(valuesIn('SKILL.md', text)).toHaveLength(1)
  })

  it('finds values that only their names reveal, in code and settings', () => {
    expect(valuesIn('run.py', `api_key: str = "${RANDOM}"`)).toEqual([RANDOM])
    expect(valuesIn('run.js', `connect({ password: '${RANDOM}' })`)).toEqual([RANDOM])
    expect(valuesIn('a.json', `{ "clientSecret": "${RANDOM}" }`)).toEqual([RANDOM])
    expect(valuesIn('run.py', 'token = "claude-3-5-sonnet-20241022"')).toEqual([])
    expect(valuesIn('run.py', 'cache_key = "your-key-goes-here-1"')).toEqual([])
  })

  it('takes linear time for hostile texts', () => {
    const text = `${'-----BEGIN PRIVATE KEY-----'.repeat(5000)}${'eyJa'.repeat(50_000)}${'key="'.repeat(50_000)}`
    expect(valuesIn('a.py', text)).toEqual([])
  })
})

describe('maskSource()', () => {
  it('keeps the length and the start of a value', () => {
    const text = `a = 1 # ${GITHUB} end\n`
    const masked = maskSource('code/main.py', text)
    expect(masked).toHaveLength(text.length)
    expect(masked).toMatch(/^a = 1 # ghp_\*+ end\n$/)
  })
})

/** Skills with secrets where no rule expects them. */
const SKILLS: [string, Tree, string][] = [
  [
    'where the name of a secret belongs',
    {
      'skill.toml': createExampleToml(
        {},
        `${EXAMPLE_TABLES}\n[permissions]\nsecrets = ["${GITHUB}", "${RANDOM}", "CRM_KEY"]\n`,
      ),
    },
    GITHUB,
  ],
  ['in the version', { 'skill.toml': createExampleToml({ version: `"${GITHUB}"` }) }, GITHUB],
  [
    'in the name of the front matter',
    {
      'SKILL.md': createExampleMarkdown(`name: ${GITHUB}\ndescription: Greets somebody by name.\n`),
    },
    GITHUB,
  ],
  ['in a tag with a fix', { 'skill.toml': createExampleToml({ tags: `["${GITHUB}  "]` }) }, GITHUB],
  [
    'in code',
    {
      'code/main.py': `API_KEY = "${RANDOM}"   \n\n\ndef main(args):\n    return args.get("who")\n`,
    },
    RANDOM,
  ],
]

describe.each(SKILLS)('a secret %s', (_, changes, secret) => {
  const formats = ['pretty', 'concise', 'json', 'github', 'sarif', 'junit', 'agent']

  it('is in no report and in no diff', async () => {
    const files = Object.entries({ ...EXAMPLE_SKILL, ...changes })
    const tree = Object.fromEntries(files.map(([path, text]) => [`skills/greet/${path}`, text]))
    const cwd = createFolder(tree)
    const runs = [
      ...formats.map((format) => ['--format', format]),
      ['--fix-unsafe', '--diff'],
      ['--fix-unsafe', '--diff', '--json'],
    ]
    for (const options of runs) {
      const { stdout, stderr } = await runSkills(['lint', ...options], { cwd })
      expect(stdout, options.join(' ')).not.toContain(secret)
      expect(stdout, options.join(' ')).not.toContain(secret.slice(0, 12))
      expect(stderr).not.toContain(secret.slice(0, 12))
      if (options[1] === 'pretty') expect(stdout).toContain(secret.slice(0, 4))
    }
  })
})

describe('skills lint without Python', () => {
  it('finds a secret in Python code', async () => {
    const code = `API_KEY = "${RANDOM}"\n\n\ndef main(args):\n    return {"who": args.get("who")}\n`
    const files = Object.entries({ ...EXAMPLE_SKILL, 'code/main.py': code })
    const cwd = createFolder(
      Object.fromEntries(files.map(([path, text]) => [`skills/greet/${path}`, text])),
    )
    const env = { SKILLS_RUN_PYTHON: '/nonexistent/python' }
    const done = await runSkills(['lint', '--format', 'concise'], { cwd, env })
    expect(done.stdout).toContain('main.py:1:12: error The value of "API_KEY" looks like a secret')
  })
})
