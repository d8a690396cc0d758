import ExpenseBook

Program.main()
