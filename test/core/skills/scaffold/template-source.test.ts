import { describe, expect, it } from 'vitest'
import { parseTemplateSource } from '../../../../src/core/skills/scaffold/external/template-source.ts'

const git = (url: string, more: object = {}) => ({
  type: 'git',
  url,
  protocol: 'https',
  ref: undefined,
  folder: undefined,
  ...more,
})

describe('the value of --template', () => {
  it.each([
    ['python', undefined],
    ['./mine', { type: 'folder', path: './mine' }],
    ['..', { type: 'folder', path: '..' }],
    ['/srv/templates/mine', { type: 'folder', path: '/srv/templates/mine' }],
    ['templates/mine', { type: 'folder', path: 'templates/mine' }],
    ['github:ada/templates', git('https://github.com/ada/templates.git')],
    [
      'github:ada/templates#v1.0:python/report',
      git('https://github.com/ada/templates.git', { ref: 'v1.0', folder: 'python/report' }),
    ],
    ['https://git.example/t.git#main', git('https://git.example/t.git', { ref: 'main' })],
    ['git+https://git.example/t#:sub', git('https://git.example/t', { folder: 'sub' })],
    ['git+file:///srv/t.git', git('file:///srv/t.git', { protocol: 'file' })],
  ])('%s is a source', (text, source) => {
    expect(parseTemplateSource(text)).toEqual(source)
  })

  it.each([
    ['pyton', 'no template "pyton"'],
    ['https://git.example/t', 'no template'],
    ['git+ssh://git.example/t.git', 'no template'],
    ['git+http://git.example/t.git', 'no template'],
    ['ext::sh -c date', 'no template'],
    ['github:ada', 'no template'],
    ['github:ada/../x', 'no template'],
    ['https://ada:pw@git.example/t.git', 'contains a user name'],
    ['github:ada/t#--upload-pack=date', 'reference "--upload-pack=date"'],
    ['github:ada/t#a..b', 'reference "a..b"'],
    ['github:ada/t#a b', 'reference "a b"'],
    ['github:ada/t#main:../x', 'folder "../x"'],
    ['github:ada/t#main:/etc', 'folder "/etc"'],
  ])('%s is refused', (text, message) => {
    expect(() => parseTemplateSource(text)).toThrow(message)
  })
})
