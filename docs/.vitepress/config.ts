import { defineConfig } from 'vitepress'
import metadata from '../../package.json' with { type: 'json' }
import { anchor } from '../../scripts/reference/anchor.ts'
import { listSidebars } from './sidebar.ts'

/** The site of docs/: `npm run docs` builds it, a dead link fails the build. */
export default defineConfig({
  title: metadata.name,
  description: metadata.description,
  lang: 'en',
  // Reports for reviews of the public API, which are not pages.
  srcExclude: ['api/**'],
  // Pages link to headings by the anchors of GitHub.
  markdown: { anchor: { slugify: anchor } },
  // The search index is one file, loaded when the search is opened.
  vite: { build: { chunkSizeWarningLimit: 5000 } },
  themeConfig: {
    sidebar: listSidebars(new URL('..', import.meta.url)),
    nav: [
      { text: 'Guide', link: '/', activeMatch: '^/(?!adr/|reference/)' },
      { text: 'Reference', link: '/reference/', activeMatch: '^/reference/' },
      { text: 'Decisions', link: '/adr/README', activeMatch: '^/adr/' },
    ],
    outline: { level: [2, 3] },
    search: { provider: 'local' },
  },
})
