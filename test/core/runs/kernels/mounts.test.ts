// @module-tag slow
// @module-tag nightly
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFolder } from '../../../helpers/skills.ts'
import { openKernels } from './in-kernel.ts'

const skill = (name: string, language: 'python' | 'node', more = '') => {
  const file = language === 'python' ? 'main.py' : 'main.mjs'
  const code =
    language === 'python'
      ? 'def double(n):\n    return n * 2\ndef main(args):\n    return 1\n'
      : 'export const double = (n) => n * 2\nexport function main() {}\n'
  return {
    [`${name}/skill.toml`]: `name = "test.${name}"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "${language}"\nentrypoint = "${file}"\nexport = "main"\n${more}`,
    [`${name}/SKILL.md`]: `---\nname: ${name}\ndescription: x\n---\nx\n`,
    [`${name}/${file}`]: code,
  }
}

describe('the skills of a kernel', () => {
  it('are importable in all of its cells, without being named again', async () => {
    const roots = [createFolder({ ...skill('py', 'python'), ...skill('js', 'node') })]
    const { python, node, runtime, call } = await openKernels({ roots })
    const first = await python('from skills.test.py import double\ndouble(4)', {
      mount_skills: ['test.py'],
    })
    expect(first.output).toBe(8)
    expect((await python('import skills.test.py as s\ns.double(5)')).output).toBe(10)
    expect((await runtime.kernel({ action: 'list' }, call)).kernels?.[0]?.skills).toEqual([
      'test.py@0.1.0',
    ])
    const js = await node('import { double } from "skills/test.js"\ndouble(4)', {
      kernel: 'n',
      mount_skills: ['test.js'],
    })
    expect(js.output).toBe(8)
    await expect(python('1', { mount_skills: ['test.js'] })).rejects.toMatchObject({
      code: 'kernel/fixed',
      message: 'The kernel "k" was started without the skill test.js@0.1.0',
    })
    // A restart keeps them.
    await runtime.kernel({ action: 'restart', kernel: 'k' }, call)
    expect((await python('from skills.test.py import double\ndouble(6)')).output).toBe(12)
  })

  it('open their network to the whole kernel, and to no other one', async () => {
    const server = createServer((_, answer) => answer.end('hello'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const more = `[permissions]\nnetwork = ["${url}"]\n`
    const settings = {
      roots: [createFolder(skill('net', 'python', more))],
      'run.code_inherits_permissions': true,
      'run.network.allow_private': ['127.0.0.0/8'],
    }
    const { python, runtime } = await openKernels(settings)
    const fetch = `import urllib.request\nurllib.request.urlopen("${url}", timeout=10).read().decode()`
    const call = { grants: { allowNetwork: true } }
    const first = await python(fetch, { mount_skills: ['test.net'], call })
    expect(first.output).toBe('hello')
    const second = await python(fetch, { call })
    expect(second.output).toBe('hello')
    // Each cell records its own attempts.
    for (const { run_id: id } of [first, second]) {
      const { network } = await (await runtime.runs()).get(id)
      expect(network).toMatchObject([{ allowed: true }])
    }
    const refused = await python(fetch).catch((error: unknown) => error)
    expect(refused).toMatchObject({
      code: 'kernel/fixed',
      message: expect.stringContaining(`lacks the network destination ${url}`),
    })
    const other = await python(fetch, { kernel: 'other', call })
    expect(other.status).toBe('failed')
  })
})
