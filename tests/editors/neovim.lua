-- A user of Neovim who sees a branch by the recipe of the page. Writes what happened, as JSON, to
-- $REPORT; the test beside this file judges it.
local report = {}
local patience_ms = 90000

local function text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false), "\n") .. "\n"
end

local function await(what, is_so)
  assert(vim.wait(patience_ms, is_so, 10), "never: " .. what .. "\n" .. text())
end

local function place_of(piece)
  local line = vim.fn.search("\\V" .. piece, "cw")
  assert(line > 0, "no " .. piece)
end

local function ask(method, extra)
  local params = vim.tbl_extend("force", vim.lsp.util.make_position_params(0, "utf-16"), extra or {})
  local answers = vim.lsp.buf_request_sync(0, "textDocument/" .. method, params, patience_ms)
  local _, answer = next(answers or {})
  assert(answer, method .. ": no answer")
  return answer.result
end

local function messages()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do table.insert(found, one.message) end
  return found
end

local function main()
  vim.cmd("cd " .. vim.fn.fnameescape(vim.env.FOLDER))
  vim.cmd("edit main.py")
  vim.cmd("luafile " .. vim.fn.fnameescape(vim.env.RECIPE))
  vim.cmd("Understudy " .. vim.env.BRANCH)
  await("the branch's text", function() return text():find("later_fee%(") ~= nil end)
  report.brought = text()
  await("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
  report.diagnostics = messages()

  place_of("invoice_text(")
  report.hover = ask("hover")
  report.definition = ask("definition")
  report.references = ask("references", { context = { includeDeclaration = true } })

  vim.api.nvim_buf_set_lines(0, 0, 1, false, { '"""Typed by the user."""' })
  vim.cmd("write")
  report.is_modified = vim.bo.modified

  place_of("invoice_text(")
  vim.lsp.buf.rename("text_of")
  await("the new name", function() return text():find("print%(text_of%(") ~= nil end)
  report.renamed = text()
  vim.cmd("wall")

  vim.cmd("UnderstudyEnd")
  report.after = text()
  await("the end", function() return #vim.lsp.get_active_clients() == 0 end)
end

local is_right, problem = pcall(main)
report.problem = not is_right and tostring(problem) or nil
report.said = vim.api.nvim_exec("messages", true)
vim.fn.writefile({ vim.fn.json_encode(report) }, vim.env.REPORT)
vim.cmd(is_right and "qall!" or "cquit!")
