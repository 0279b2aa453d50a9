import { expect, it } from 'vitest'
import { findListedPackages, findPackageSignals } from '../../../src/core/safety/code/packages.ts'

const PREFIX = 'Packages are installed without an exact version: '
const select = (signals: ReturnType<typeof findPackageSignals>) =>
  signals.flatMap(({ message }) => (message.startsWith(PREFIX) ? message.slice(PREFIX.length) : []))

it.each([
  ['pip install requests', 'requests'],
  ['pip install requests==2.31.0 numpy "pandas>=2"', 'numpy, pandas>=2'],
  ['python3 -m pip install -U "mcp[cli]"', 'mcp[cli]'],
  ['npm install -g typescript@5.4.5 eslint', 'eslint'],
  ['npx -y create-react-app@latest app', 'create-react-app@latest'],
  ['uvx ruff check .', 'ruff'],
  ['npm install discord.js', 'discord.js'],
  ['yarn add left-pad@^1.0.0', 'left-pad@^1.0.0'],
  ['npm i @scope/pkg ./local', '@scope/pkg'],
])('%s installs without an exact version: %s', (text, names) => {
  const statement = { text, written: text, start: 0, mayHarm: true }
  expect(select(findPackageSignals([statement]))).toEqual([names])
})

it.each([
  'pip install -r requirements.txt',
  'pip install .',
  'pip install --index-url https://index.example/simple foo==1.0',
  'npm ci',
  'npm install',
  'npm run build',
  'uv run script.py',
])('%s names no package without its version', (text) => {
  const statement = { text, written: text, start: 0, mayHarm: true }
  expect(select(findPackageSignals([statement]))).toEqual([])
})

it('lines of requirements.txt without an exact version are found', () => {
  const text = 'requests\nnumpy==1.0\n# a comment\npandas>=2 ; python_version > "3"\n-r other.txt\n'
  expect(select(findListedPackages('requirements.txt', text))).toEqual(['requests', 'pandas>=2'])
})
