import { render } from 'preact'
import { App } from './app/app.tsx'
import { takeTokenFromAddress } from './app/session-token.ts'

takeTokenFromAddress()
const root = document.querySelector('#app')
if (root) render(<App />, root)
